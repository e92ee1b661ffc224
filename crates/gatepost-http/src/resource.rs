//! The implementation behind a table.

use std::collections::BTreeSet;
use std::fmt;

use async_trait::async_trait;
use gatepost_manage::Actor;
use gatepost_storage::{Bodies, Order};
use serde_json::{Value, json};
use webhook_model::{ObjectId, OwnerId};

use crate::error::{ApiError, Result};
use crate::query::filter::{Filter, Literal};
use crate::schema::{Input, RowMap, Table};

/// A row that was created.
#[derive(Debug)]
pub(crate) struct Created {
    /// Its row number.
    pub key: i64,
    /// The secret to return once, if there is one.
    pub secret: Option<apikey_core::RevealedKey>,
}

impl Created {
    /// A row without a secret.
    pub(crate) fn row(key: i64) -> Self {
        Self { key, secret: None }
    }

    /// Returns the receipt. A secret is in the three members that existing clients read, and in no
    /// other response.
    pub(crate) fn receipt(&self, table: &str) -> Value {
        let key = self.key;
        let mut receipt = json!({
            "location": format!("/v4/{table}/{key}"),
            "dbpath": format!("{table}/{key}"),
            "$row": key,
            "$key": key.to_string(),
        });
        if let (Some(secret), Value::Object(receipt)) = (&self.secret, &mut receipt) {
            receipt.insert("key".into(), secret.as_str().into());
            receipt.insert(
                "response".into(),
                json!({"private_key": secret.as_str(), "token": secret.as_str()}),
            );
        }
        receipt
    }
}

/// The columns that a request needs of each row.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Wanted {
    Every,
    These(BTreeSet<String>),
}

impl Wanted {
    /// Returns whether this column is needed: large or joined values are read only then.
    pub(crate) fn has(&self, column: &str) -> bool {
        match self {
            Self::Every => true,
            Self::These(columns) => columns.contains(column),
        }
    }

    /// Returns how much of the bodies in these columns is read.
    pub(crate) fn bodies(&self, columns: &[&str], at_once: u64) -> Bodies {
        if columns.iter().any(|column| self.has(column)) {
            Bodies::UpTo(at_once)
        } else {
            Bodies::Omitted
        }
    }
}

/// One page of a scan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scan<'a> {
    /// Columns that must have these values: the store may look them up instead of reading all rows.
    /// The caller checks every row again, so they may be ignored.
    pub equal: &'a Hints<'a>,
    /// The row before the page.
    pub after: Option<i64>,
    pub order: Order,
    pub limit: u32,
    /// The columns that are needed; rows may hold more.
    pub columns: &'a Wanted,
}

/// The result of a scan.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// The rows that the caller may see.
    pub rows: Vec<RowMap>,
    /// The row after which the next page begins; `None` at the end.
    pub next: Option<i64>,
}

/// The values that a filter requires of single columns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hints<'a>(pub Option<&'a Filter>);

impl Hints<'_> {
    /// Returns the row number that a column must have.
    pub(crate) fn key(&self, column: &str) -> Option<i64> {
        self.literal(column)?.as_key()
    }

    /// Returns the user that a column must name.
    pub(crate) fn user(&self, column: &str) -> Option<OwnerId> {
        match self.literal(column)? {
            Literal::Int(number) => OwnerId::try_from(*number).ok(),
            literal => literal.as_text()?.parse().ok(),
        }
    }

    /// Returns the text that a column must have.
    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        // PostgreSQL accepts no text with U+0000; no row matches such a filter.
        let text = self.literal(column)?.as_text()?;
        (!text.contains('\0')).then_some(text)
    }

    /// Returns whether a column must be true.
    pub(crate) fn is_true(&self, column: &str) -> bool {
        self.literal(column).is_some_and(Literal::is_true)
    }

    fn literal(&self, column: &str) -> Option<&Literal> {
        self.0?.must_equal(column)
    }
}

/// Accesses the rows of one table that a caller may see and change. A row that the caller may not
/// see is reported as missing. Operations that a table does not declare are not permitted.
#[async_trait]
pub(crate) trait Resource: fmt::Debug + Send + Sync + 'static {
    /// Returns the declaration.
    fn table(&self) -> &'static Table;

    /// Returns one page of rows in order of `$key`, with the needed readable columns. It may end
    /// early if rows are large.
    async fn scan(&self, caller: &Actor, scan: Scan<'_>) -> Result<Scanned>;

    /// Returns one row.
    async fn get(&self, caller: &Actor, key: ObjectId) -> Result<RowMap>;

    /// Creates a row.
    async fn create(&self, _caller: &Actor, _input: Input) -> Result<Created> {
        Err(ApiError::not_permitted())
    }

    /// Changes a row and returns it.
    async fn update(&self, _caller: &Actor, _key: ObjectId, _input: Input) -> Result<RowMap> {
        Err(ApiError::not_permitted())
    }

    /// Deletes a row.
    async fn delete(&self, _caller: &Actor, _key: ObjectId) -> Result<()> {
        Err(ApiError::not_permitted())
    }

    /// Carries out the declared action of this name; returns `{}` if there is no result.
    async fn act(&self, _: &Actor, _: ObjectId, _name: &str, _input: Input) -> Result<Value> {
        Err(ApiError::not_permitted())
    }

    /// Returns how many rows of another table refer to this row.
    async fn count(&self, _caller: &Actor, _row: &RowMap, _table: &str) -> Result<u64> {
        Ok(0)
    }
}
