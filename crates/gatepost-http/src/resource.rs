//! What stands behind a table.

use std::fmt;

use async_trait::async_trait;
use gatepost_keys::Principal;
use gatepost_storage::Order;
use serde_json::Value;

use crate::error::ApiError;
use crate::query::filter::Literal;
use crate::table::{Input, RowMap, Table};

/// A row that was made.
#[derive(Debug)]
pub(crate) struct Created {
    /// Its row number.
    pub key: i64,
    /// The secret to hand out once, where there is one.
    pub secret: Option<apikey_core::RevealedKey>,
}

/// One page of a scan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scan<'a> {
    /// Columns that must have these values: the store may look them up instead of reading all
    /// rows. The caller checks every row again, so a hint may be ignored.
    pub equal: &'a Hints<'a>,
    /// The row before the page.
    pub after: Option<i64>,
    pub order: Order,
    pub limit: u32,
    /// Whether columns are asked for that cost a look-up for each row.
    pub costly: bool,
}

/// What a scan found.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// The rows that the caller may see.
    pub rows: Vec<RowMap>,
    /// The row after which the next page begins; `None` at the end.
    pub next: Option<i64>,
}

/// What a filter demands of single columns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hints<'a>(pub Option<&'a crate::query::filter::Filter>);

impl Hints<'_> {
    /// The row number that a column must hold.
    pub(crate) fn key(&self, column: &str) -> Option<i64> {
        self.literal(column)?.as_key()
    }

    /// The text that a column must hold.
    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        self.literal(column)?.as_text()
    }

    fn literal(&self, column: &str) -> Option<&Literal> {
        self.0?.must_equal(column)
    }
}

/// The rows of one table, as far as a caller may see and change them. A row that the caller may
/// not know of is answered as if it were not there.
#[async_trait]
pub(crate) trait Resource: fmt::Debug + Send + Sync + 'static {
    /// The declaration.
    fn table(&self) -> &'static Table;

    /// One page of rows in order of `$key`, all readable columns.
    async fn scan(&self, caller: &Principal, scan: Scan<'_>) -> Result<Scanned, ApiError>;

    /// One row.
    async fn get(&self, caller: &Principal, key: i64) -> Result<Option<RowMap>, ApiError>;

    /// Makes a row.
    async fn create(&self, caller: &Principal, input: &Input) -> Result<Created, ApiError>;

    /// Changes a row and answers it as it then stands.
    async fn update(&self, caller: &Principal, key: i64, input: &Input)
    -> Result<RowMap, ApiError>;

    /// Deletes a row.
    async fn delete(&self, caller: &Principal, key: i64) -> Result<(), ApiError>;

    /// Does what a declared action says; `{}` where there is nothing to answer.
    async fn act(
        &self,
        caller: &Principal,
        key: i64,
        action: &str,
        params: &Input,
    ) -> Result<Value, ApiError>;

    /// The column of the row that `through` refers to; `None` for a null reference.
    async fn join(
        &self,
        caller: &Principal,
        row: &RowMap,
        through: &str,
        column: &str,
    ) -> Result<Option<Value>, ApiError>;

    /// How many rows of another table refer to this row.
    async fn count(&self, caller: &Principal, row: &RowMap, table: &str) -> Result<u64, ApiError>;
}
