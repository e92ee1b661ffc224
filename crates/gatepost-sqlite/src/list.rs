//! Lists: a statement with the requested conditions, divided into pages by row number.
//!
//! A list names the index by which it finds its rows: the planner assumes the average number of
//! rows of an owner, and would scan a million rows of others rather than look up ten.

use std::borrow::Cow;
use std::fmt::Write as _;

use gatepost_ids::{Realm, TenantId};
use gatepost_storage::codec::Field;
use gatepost_storage::{Bodies, ErrorKind, Order, Page, StoreError};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};

use crate::error::{Failure, Result};

/// A `SELECT` with one condition for each filter that is set.
#[derive(Clone, Debug)]
pub(crate) struct List {
    from: String,
    conditions: String,
    params: Vec<Value>,
}

impl List {
    /// Takes a `FROM` list that names the table as `r`.
    pub(crate) fn of(from: impl Into<String>) -> Self {
        Self {
            from: from.into(),
            conditions: String::new(),
            params: Vec::new(),
        }
    }

    /// Lists the rows of the owners in this tenant, with a lookup for each of them.
    pub(crate) fn of_tenant(tenant: TenantId, table: &str, of_owner: &str) -> Self {
        Self::of(format!(
            "gatepost_owner o INDEXED BY gatepost_owner_of_place \
             CROSS JOIN {table} r INDEXED BY {of_owner} ON r.owner = o.owner"
        ))
        .filter("o.place =", Realm::Tenant(tenant).to_string())
    }

    /// Adds a condition without a parameter.
    pub(crate) fn and(mut self, condition: &str) -> Self {
        let and = if self.conditions.is_empty() {
            ""
        } else {
            " AND "
        };
        let _ = write!(self.conditions, "{and}{condition}");
        self
    }

    /// Adds a condition, which ends where the parameter follows: `owner =`.
    pub(crate) fn filter(mut self, condition: &str, value: impl Into<Value>) -> Self {
        self.params.push(value.into());
        let number = self.params.len();
        self.and(&format!("{condition} ?{number}"))
    }

    /// Adds a condition if there is a value.
    pub(crate) fn maybe<T: Into<Value>>(self, condition: &str, value: Option<T>) -> Self {
        match value {
            Some(value) => self.filter(condition, value),
            None => self,
        }
    }

    /// Returns the rows of a page; `columns` is `id, … FROM table`.
    pub(crate) fn page<I: Copy, R>(
        &self,
        connection: &Connection,
        columns: &str,
        page: &Page<I>,
        number: impl Fn(I) -> i64,
        read: impl Fn(&Row<'_>) -> Result<R>,
    ) -> Result<Vec<R>> {
        self.filled(connection, columns, &[], page, number, read)
    }

    /// Does the same as [`page`](Self::page) for rows with `bodies`: columns that may be large.
    fn filled<I: Copy, R>(
        &self,
        connection: &Connection,
        columns: &str,
        bodies: &[&str],
        page: &Page<I>,
        number: impl Fn(I) -> i64,
        read: impl Fn(&Row<'_>) -> Result<R>,
    ) -> Result<Vec<R>> {
        let mut found = Vec::new();
        let mut room = page.bodies;
        let (sql, params) = self.select(columns, page, number);
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(params))?;
        while let Some(row) = rows.next()? {
            found.push(read(row)?);
            if !room.take(bytes(row, bodies)?) {
                break;
            }
        }
        Ok(found)
    }

    /// Returns the readable rows of a page: the list is continued until there are enough.
    pub(crate) fn readable<I: Copy + From<i64> + Into<i64>, R>(
        &self,
        connection: &Connection,
        (columns, bodies): (&str, &[&Field]),
        page: &Page<I>,
        read: impl Fn(&Row<'_>) -> Result<R>,
    ) -> Result<Vec<R>> {
        let mut found = Vec::new();
        let (limit, mut page) = (page.limit, *page);
        let columns = read_columns(columns, bodies, page.bodies);
        let bodies: Vec<&str> = bodies.iter().map(|body| body.name).collect();
        loop {
            let read = |row: &Row<'_>| -> Result<(i64, Option<R>)> {
                Ok((row.get("id")?, readable(read(row))?))
            };
            let rows = self.filled(connection, &columns, &bodies, &page, Into::into, read)?;
            let last = rows.last().map(|(id, _)| *id);
            let is_cut = matches!(page.bodies, Bodies::UpTo(_));
            let more = if is_cut {
                rows.iter().all(|(_, row)| row.is_none())
            } else {
                rows.len() == page.limit as usize
            };
            found.extend(rows.into_iter().filter_map(|(_, row)| row));
            page.limit = limit.saturating_sub(u32::try_from(found.len()).unwrap_or(u32::MAX));
            match last {
                Some(last) if more && page.limit > 0 => page = page.beyond(last.into()),
                _ => return Ok(found),
            }
        }
    }

    /// Returns a statement that finds the row numbers first, and reads whole rows only for those on
    /// the page.
    fn select<I: Copy>(
        &self,
        columns: &str,
        page: &Page<I>,
        number: impl Fn(I) -> i64,
    ) -> (String, Vec<Value>) {
        let (beyond, direction) = match page.order {
            Order::Ascending => ("r.id >", "ASC"),
            Order::Descending => ("r.id <", "DESC"),
        };
        let list = self.clone().maybe(beyond, page.after.map(number));
        let filter = if list.conditions.is_empty() {
            "true"
        } else {
            &list.conditions
        };
        let sql = format!(
            "SELECT {columns} WHERE id IN (SELECT r.id FROM {} WHERE {filter} ORDER BY r.id {direction} LIMIT {}) \
             ORDER BY id {direction}",
            list.from, page.limit
        );
        (sql, list.params)
    }
}

/// Returns the columns to select, with the replacements of bodies that are not requested.
fn read_columns<'c>(columns: &'c str, bodies: &[&Field], asked: Bodies) -> Cow<'c, str> {
    if asked.are_read() {
        return columns.into();
    }
    let without = |sql: String, body: &&Field| {
        let empty = format!("'{}' AS {}", body.omitted.unwrap_or_default(), body.name);
        sql.replacen(body.name, &empty, 1)
    };
    bodies.iter().fold(columns.to_owned(), without).into()
}

/// Returns the total bytes of these columns.
fn bytes(row: &Row<'_>, columns: &[&str]) -> Result<u64> {
    let mut bytes = 0;
    for column in columns {
        bytes += match row.get_ref(*column)? {
            ValueRef::Text(text) | ValueRef::Blob(text) => text.len() as u64,
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => 0,
        };
    }
    Ok(bytes)
}

/// Returns `None` for a row that cannot be parsed; an error of the disk is an error of the list.
pub(crate) fn readable<R>(read: Result<R>) -> Result<Option<R>> {
    match read {
        Ok(row) => Ok(Some(row)),
        Err(failure) => {
            let error = StoreError::from(failure);
            match error.kind() {
                ErrorKind::Corrupt => Ok(None),
                _ => Err(Failure::Store(error)),
            }
        }
    }
}

#[cfg(test)]
impl List {
    /// Returns the statement of a page, to check its plan.
    pub(crate) fn plan(&self, columns: &str, page: &Page<i64>) -> String {
        self.select(columns, page, |id| id).0
    }
}
