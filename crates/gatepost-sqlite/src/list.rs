//! Lists: conditions as they are asked for, cut into pages by row number.

use std::fmt::Write as _;

use gatepost_storage::{Order, Page};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use crate::error::Result;

/// A `SELECT` that grows by a condition for each filter that is set, so that the planner sees only
/// those.
pub(crate) struct List {
    sql: String,
    params: Vec<Value>,
}

impl List {
    /// `columns_and_table` is `id, … FROM table`.
    pub(crate) fn of(columns_and_table: &str) -> Self {
        Self {
            sql: format!("SELECT {columns_and_table} WHERE true"),
            params: Vec::new(),
        }
    }

    /// `condition` ends where the parameter belongs: `owner =`.
    pub(crate) fn filter<T: Into<Value>>(mut self, condition: &str, value: Option<T>) -> Self {
        if let Some(value) = value {
            self.params.push(value.into());
            let _ = write!(self.sql, " AND {condition} ?{}", self.params.len());
        }
        self
    }

    /// One of several numbers; none means any.
    pub(crate) fn one_of(mut self, column: &str, values: &[i64]) -> Self {
        if !values.is_empty() {
            let _ = write!(self.sql, " AND {column} IN (");
            for (at, value) in values.iter().enumerate() {
                let comma = if at == 0 { "" } else { ", " };
                let _ = write!(self.sql, "{comma}{value}");
            }
            self.sql.push(')');
        }
        self
    }

    pub(crate) fn page<I: Copy, R>(
        self,
        connection: &Connection,
        page: &Page<I>,
        number: impl Fn(I) -> i64,
        read: impl Fn(&Row<'_>) -> Result<R>,
    ) -> Result<Vec<R>> {
        let (beyond, direction) = match page.order {
            Order::Ascending => ("id >", "ASC"),
            Order::Descending => ("id <", "DESC"),
        };
        let mut list = self.filter(beyond, page.after.map(number));
        let _ = write!(list.sql, " ORDER BY id {direction} LIMIT {}", page.limit);
        let mut statement = connection.prepare_cached(&list.sql)?;
        let mut rows = statement.query(params_from_iter(list.params))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read(row)?);
        }
        Ok(found)
    }
}
