//! The five tables over the two services.

mod deliveries;
mod deliveries_table;
mod events;
mod events_table;
mod keys;
mod keys_table;
mod tasks;
mod tasks_table;
mod webhooks;
mod webhooks_table;

use std::sync::Arc;

use chrono::{DateTime, Utc};
pub(crate) use deliveries::Deliveries;
pub(crate) use events::Events;
use gatepost_engine::{Engine, EngineError};
use gatepost_keys::{AccountsError, Authority, KeyError, KeyService, Principal};
use gatepost_manage::Directory;
use gatepost_storage::{ErrorKind, Page, StoreError};
pub(crate) use keys::Keys;
use serde_json::Value;
pub(crate) use tasks::Tasks;
use webhook_model::{Invalid, OwnerId};
pub(crate) use webhooks::Webhooks;

use crate::error::ApiError;
use crate::resource::{Resource, Scan};
use crate::table::{KEY, RowMap};

/// What every table needs.
#[derive(Clone, Debug)]
pub(crate) struct Services {
    pub keys: KeyService,
    pub engine: Engine,
    pub directory: Arc<dyn Directory>,
}

/// All tables.
pub(crate) fn all(services: &Services) -> Vec<Arc<dyn Resource>> {
    vec![
        Arc::new(Keys(services.clone())),
        Arc::new(Webhooks(services.clone())),
        Arc::new(Deliveries(services.clone())),
        Arc::new(Tasks(services.clone())),
        Arc::new(Events(services.clone())),
    ]
}

impl Services {
    /// `user#name`, `owner#$display`: the name of a row of a table that is the host's.
    async fn named(&self, caller: &Principal, table: &str, key: i64) -> Option<Value> {
        self.directory
            .name(caller, table, key)
            .await
            .map(Value::from)
    }
}

/// The rows whose owners the caller may manage.
async fn managed<R>(
    authority: &mut Authority<'_>,
    found: Vec<R>,
    owner: impl Fn(&R) -> OwnerId,
) -> Result<Vec<R>, ApiError> {
    let mut rows = Vec::with_capacity(found.len());
    for row in found {
        if authority.may_manage(OwnerId(owner(&row).0)).await? {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// A row from its columns.
fn row<const N: usize>(key: i64, columns: [(&str, Value); N]) -> RowMap {
    let key = (KEY.to_owned(), Value::from(key));
    std::iter::once(key)
        .chain(
            columns
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value)),
        )
        .collect()
}

/// Epoch seconds, 0 for never.
fn epoch(time: Option<DateTime<Utc>>) -> Value {
    time.map_or(0, |time| time.timestamp()).into()
}

fn page<I>(scan: &Scan<'_>, id: impl Fn(i64) -> I) -> Page<I> {
    Page {
        after: scan.after.map(id),
        order: scan.order,
        limit: scan.limit,
    }
}

/// Where the next page begins, if the store filled this one.
fn next(scan: &Scan<'_>, found: usize, last: Option<i64>) -> Option<i64> {
    last.filter(|_| found >= scan.limit as usize)
}

impl From<Invalid> for ApiError {
    fn from(invalid: Invalid) -> Self {
        Self::field(invalid.field().as_str(), invalid.rule())
    }
}

impl From<AccountsError> for ApiError {
    fn from(error: AccountsError) -> Self {
        tracing::error!(%error, "accounts cannot be asked");
        Self::unavailable()
    }
}

impl From<KeyError> for ApiError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::NotFound => Self::not_found(),
            KeyError::Forbidden => Self::forbidden(),
            KeyError::NameTaken => Self::conflict("A key with that name exists"),
            KeyError::NoSuchOwner => Self::field("user", "does not exist"),
            KeyError::Draft(error) => Self::field("expires", error),
            KeyError::Edit(error) => Self::field("expires", error),
            KeyError::Accounts(error) => error.into(),
            KeyError::Store(error) => store(&error),
            other => {
                tracing::error!(error = %other, "a key error without an answer of its own");
                Self::internal()
            }
        }
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::NotFound => Self::not_found(),
            EngineError::Invalid(invalid) => invalid.into(),
            EngineError::NameTaken => Self::conflict("A row with that name exists"),
            EngineError::InUse { tasks } => {
                Self::conflict(format!("Tasks use this webhook: {}", tasks.join(", ")))
            }
            EngineError::Dangling(field) => Self::field(field.as_str(), "does not exist"),
            EngineError::Emit(gatepost_engine::EmitError::Store(error)) => store(&error),
            EngineError::Emit(gatepost_engine::EmitError::Busy) => Self::unavailable(),
            EngineError::Emit(error) => Self::field("message", error),
            EngineError::Store(error) => store(&error),
            other => {
                tracing::error!(error = %other, "an engine error without an answer of its own");
                Self::internal()
            }
        }
    }
}

fn store(error: &StoreError) -> ApiError {
    tracing::error!(error = ?error, "the store failed");
    match error.kind() {
        ErrorKind::Unavailable => ApiError::unavailable(),
        _ => ApiError::internal(),
    }
}
