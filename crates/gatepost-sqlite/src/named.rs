//! A row with access to columns by name.

use std::cell::Cell;

use rusqlite::types::{FromSql, ValueRef};
use rusqlite::{Error, Result, Row, Statement};

/// Finds a column with one comparison if columns are accessed in the order of the statement;
/// rusqlite compares all names from the first, for each access.
#[derive(Debug)]
pub(crate) struct Named<'r> {
    row: &'r Row<'r>,
    /// The position after the column that was accessed last.
    next: Cell<usize>,
}

impl<'r> Named<'r> {
    pub(crate) fn of(row: &'r Row<'r>) -> Self {
        Self {
            row,
            next: Cell::new(0),
        }
    }

    pub(crate) fn get<T: FromSql>(&self, column: &str) -> Result<T> {
        self.row.get(self.at(column)?)
    }

    pub(crate) fn get_ref(&self, column: &str) -> Result<ValueRef<'r>> {
        self.row.get_ref(self.at(column)?)
    }

    fn at(&self, column: &str) -> Result<usize> {
        let statement: &Statement<'_> = self.row.as_ref();
        let (next, count) = (self.next.get(), statement.column_count());
        for at in (next..count).chain(0..next.min(count)) {
            if statement.column_name(at)? == column {
                self.next.set(at + 1);
                return Ok(at);
            }
        }
        Err(Error::InvalidColumnName(column.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn columns_are_found_in_any_order_unknown_fails() {
        let c = Connection::open_in_memory().unwrap();
        let read = |row: &Row<'_>| {
            let row = Named::of(row);
            for (column, value) in [("a", 1), ("c", 3), ("b", 2), ("b", 2), ("a", 1)] {
                assert_eq!(row.get::<i64>(column), Ok(value), "{column}");
            }
            assert!(
                matches!(row.get::<i64>("d"), Err(Error::InvalidColumnName(name)) if name == "d")
            );
            assert_eq!(row.get_ref("c")?, ValueRef::Integer(3));
            Ok(())
        };
        c.query_row("SELECT 1 AS a, 2 AS b, 3 AS c", [], read)
            .unwrap();
    }
}
