//! Tables of the platform under `/api/v4/`: few rows, which the platform stores anywhere.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use gatepost_manage::{Actor, Principal};
use gatepost_storage::Order;
use serde_json::{Map, Value, json};
use webhook_model::ObjectId;

use crate::error::{ApiError, Result};
use crate::resource::{Resource, Scan, Scanned};
use crate::schema::{Action, Column, Input, KEY, RowMap, Table, id};

/// The declaration of a platform's table: readable columns, and actions on its rows.
///
/// ```
/// use gatepost_http::{Action, Column, PlatformTable};
///
/// static VMS: PlatformTable = PlatformTable::new(
///     "vms",
///     "vm",
///     "Virtual machines.",
///     &[Column::text("name", "\"web-1\"", "What it is called.").short()],
///     &[Action::new("poweron", "Powers it on.")],
/// );
/// ```
#[derive(Debug)]
pub struct PlatformTable(pub(crate) Table);

impl PlatformTable {
    /// Declares a table. `name` is the path, `singular` names a row in `POST /{singular}_actions`,
    /// and `doc` becomes part of the OpenAPI document. The row number, `$key`, is added to the
    /// columns.
    #[must_use]
    pub const fn new(
        name: &'static str,
        singular: &'static str,
        doc: &'static str,
        columns: &'static [Column],
        actions: &'static [Action],
    ) -> Self {
        Self(Table {
            name,
            singular,
            doc,
            columns,
            actions,
            ..Table::READ_ONLY
        })
    }
}

/// Provides the rows of a [`PlatformTable`].
#[async_trait]
pub trait PlatformRows: fmt::Debug + Send + Sync + 'static {
    /// Returns the declaration.
    fn table(&self) -> &'static PlatformTable;

    /// Returns all rows that `caller` may see: each has its id under `$key` and its columns. They
    /// are filtered, sorted and truncated in memory, so this is for tables of few rows.
    ///
    /// # Errors
    /// The rows are unavailable.
    async fn rows(&self, caller: &Principal) -> Result<Vec<Map<String, Value>>, PlatformError>;

    /// Carries out a declared action on the row `key`, which `caller` may see.
    ///
    /// # Errors
    /// The action was not carried out.
    async fn act(
        &self,
        caller: &Principal,
        key: ObjectId,
        action: &str,
    ) -> Result<(), PlatformError>;
}

/// The reason why a platform's table returned no rows, or did not act.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlatformError {
    /// 404: the row does not exist.
    #[error("no such row")]
    NotFound,
    /// 403: the caller may see the row, but has no permission for the action.
    #[error("not allowed")]
    Forbidden,
    /// 409: the row is in the wrong state. The text is shown to the caller.
    #[error("{0}")]
    Conflict(String),
    /// 503: nothing was done; the request may be sent again.
    #[error("temporarily unavailable")]
    Unavailable,
}

impl From<PlatformError> for ApiError {
    fn from(error: PlatformError) -> Self {
        match error {
            PlatformError::NotFound => Self::not_found(),
            PlatformError::Forbidden => Self::forbidden(),
            PlatformError::Conflict(text) => Self::conflict(text),
            PlatformError::Unavailable => Self::unavailable(),
        }
    }
}

/// A platform's table as a resource of the common handlers.
#[derive(Debug)]
pub(crate) struct PlatformResource(pub Arc<dyn PlatformRows>);

impl PlatformResource {
    /// Returns all rows, in order of their ids.
    async fn rows(&self, caller: &Actor) -> Result<Vec<RowMap>> {
        let rows = self.0.rows(caller.principal()).await?;
        let mut rows: Vec<RowMap> = rows.into_iter().map(RowMap::from).collect();
        rows.sort_by_key(|row| key_of(row).map(|key| (key.as_number(), key)));
        Ok(rows)
    }
}

fn key_of(row: &RowMap) -> Option<ObjectId> {
    row.get(KEY).and_then(id)
}

#[async_trait]
impl Resource for PlatformResource {
    fn table(&self) -> &'static Table {
        &self.0.table().0
    }

    async fn scan(&self, caller: &Actor, scan: Scan<'_>) -> Result<Scanned> {
        let mut rows = self.rows(caller).await?;
        if scan.order == Order::Descending {
            rows.reverse();
        }
        Ok(Scanned { rows, next: None })
    }

    async fn get(&self, caller: &Actor, key: ObjectId) -> Result<RowMap> {
        let rows = self.rows(caller).await?;
        let row = rows.into_iter().find(|row| key_of(row) == Some(key));
        row.ok_or_else(ApiError::not_found)
    }

    async fn act(&self, caller: &Actor, key: ObjectId, name: &str, _: Input) -> Result<Value> {
        self.get(caller, key).await?;
        let (table, rows) = (self.table(), self.0.clone());
        let action = table.action(name).ok_or_else(ApiError::not_permitted)?.name;
        let principal = caller.principal().clone();
        let act = async move { rows.act(&principal, key, action).await };
        caller.platform_act(table.name, key, action, act).await??;
        Ok(json!({}))
    }
}
