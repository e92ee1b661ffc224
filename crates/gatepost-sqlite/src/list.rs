//! Lists: conditions as they are asked for, cut into pages by row number.
//!
//! A list names the index by which it finds its rows: the planner judges by what all owners have
//! on average, and would rather walk a million rows of others than look up ten.

use std::fmt::Write as _;

use gatepost_ids::{Place, TenantId};
use gatepost_storage::{ErrorKind, Order, Page, StoreError};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use crate::error::{Failure, Result};

/// How a row number is taken out of its type, and put into it.
pub(crate) type Numbers<I> = (fn(I) -> i64, fn(i64) -> I);

/// A `SELECT` that grows by a condition for each filter that is set.
#[derive(Clone, Debug)]
pub(crate) struct List {
    from: String,
    conditions: String,
    params: Vec<Value>,
}

impl List {
    /// `from` names the table as `r`.
    pub(crate) fn of(from: impl Into<String>) -> Self {
        Self {
            from: from.into(),
            conditions: String::new(),
            params: Vec::new(),
        }
    }

    /// What the owners have who are in this tenant: a lookup for each of them.
    pub(crate) fn of_tenant(tenant: TenantId, table: &str, of_owner: &str) -> Self {
        Self::of(format!(
            "gatepost_owner o INDEXED BY gatepost_owner_of_place \
             CROSS JOIN {table} r INDEXED BY {of_owner} ON r.owner = o.owner"
        ))
        .filter("o.place =", Place::Tenant(tenant).to_string())
    }

    /// A condition without a parameter.
    pub(crate) fn and(mut self, condition: &str) -> Self {
        let and = if self.conditions.is_empty() {
            ""
        } else {
            " AND "
        };
        let _ = write!(self.conditions, "{and}{condition}");
        self
    }

    /// `condition` ends where the parameter belongs: `owner =`.
    pub(crate) fn filter(mut self, condition: &str, value: impl Into<Value>) -> Self {
        self.params.push(value.into());
        let number = self.params.len();
        self.and(&format!("{condition} ?{number}"))
    }

    /// Only where there is a value.
    pub(crate) fn maybe<T: Into<Value>>(self, condition: &str, value: Option<T>) -> Self {
        match value {
            Some(value) => self.filter(condition, value),
            None => self,
        }
    }

    /// The rows of a page; `columns` is `id, … FROM table`.
    pub(crate) fn page<I: Copy, R>(
        &self,
        connection: &Connection,
        columns: &str,
        page: &Page<I>,
        number: impl Fn(I) -> i64,
        read: impl Fn(&Row<'_>) -> Result<R>,
    ) -> Result<Vec<R>> {
        let mut found = Vec::new();
        let (sql, params) = self.select(columns, page, number);
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(params))?;
        while let Some(row) = rows.next()? {
            found.push(read(row)?);
        }
        Ok(found)
    }

    /// The rows of a page that can be read: the list goes on until there are enough.
    pub(crate) fn readable<I: Copy, R>(
        &self,
        connection: &Connection,
        columns: &str,
        page: &Page<I>,
        (number, id): Numbers<I>,
        read: impl Fn(&Row<'_>) -> Result<R>,
    ) -> Result<Vec<R>> {
        let mut found = Vec::new();
        let (limit, mut page) = (page.limit, *page);
        loop {
            let read = |row: &Row<'_>| -> Result<(i64, Option<R>)> {
                Ok((row.get("id")?, readable(read(row))?))
            };
            let rows = self.page(connection, columns, &page, number, read)?;
            let last = rows.last().map(|(id, _)| *id);
            let more = rows.len() == page.limit as usize;
            found.extend(rows.into_iter().filter_map(|(_, row)| row));
            page.limit = limit.saturating_sub(u32::try_from(found.len()).unwrap_or(u32::MAX));
            match last {
                Some(last) if more && page.limit > 0 => page = page.beyond(id(last)),
                _ => return Ok(found),
            }
        }
    }

    /// Finds the row numbers first, and reads whole rows only of those that are on the page.
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

/// `None` for a row that cannot be understood; an error of the disk is an error of the list.
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
    /// The statement of a page, to look at its plan.
    pub(crate) fn plan(&self, columns: &str, page: &Page<i64>) -> String {
        self.select(columns, page, |id| id).0
    }
}
