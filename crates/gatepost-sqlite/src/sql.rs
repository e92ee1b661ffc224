//! Statements: their text, and how they are carried out.

use rusqlite::types::FromSql;
use rusqlite::{Connection, Params, Row};

use crate::error::{Failure, Result};

/// The statement in this file of the folder `sql`: `sql!("queue/wait")`.
macro_rules! sql {
    ($file:expr) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/sql/",
            $file,
            ".sql"
        ))
    };
}

/// Reads the only column of a row.
pub(crate) fn value<T: FromSql>(row: &Row<'_>) -> Result<T> {
    Ok(row.get(0)?)
}

/// Statements that stay prepared.
pub(crate) trait Sql {
    fn run(&self, sql: &str, params: impl Params) -> Result<()> {
        self.changed(sql, params).map(drop)
    }

    /// Returns the number of changed rows.
    fn changed(&self, sql: &str, params: impl Params) -> Result<u32>;

    /// Returns whether there is a row.
    fn has(&self, sql: &str, params: impl Params) -> Result<bool>;

    /// Returns the first row.
    fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>>;

    /// Returns a row that must be there.
    fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        let row = self.first(sql, params, read)?;
        row.ok_or(Failure::Sql(rusqlite::Error::QueryReturnedNoRows))
    }

    /// Returns all rows.
    fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>>;
}

impl Sql for Connection {
    fn changed(&self, sql: &str, params: impl Params) -> Result<u32> {
        let changed = self.prepare_cached(sql)?.execute(params)?;
        Ok(u32::try_from(changed).unwrap_or(u32::MAX))
    }

    fn has(&self, sql: &str, params: impl Params) -> Result<bool> {
        Ok(self.prepare_cached(sql)?.exists(params)?)
    }

    fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.prepare_cached(sql)?;
        statement.query(params)?.next()?.map(read).transpose()
    }

    fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.prepare_cached(sql)?;
        statement.query_and_then(params, read)?.collect()
    }
}
