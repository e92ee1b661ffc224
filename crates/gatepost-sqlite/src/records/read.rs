//! Rows by their numbers.

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::RecordId;
use rusqlite::{Connection, OptionalExtension as _, Row};
use webhook_model::{TaskId, WebhookId};

use crate::column;
use crate::error::Result;
use crate::list::readable;
use crate::named::Named;

/// Which rows of a table are not gone.
pub(super) const LIVE_WEBHOOKS: &str = "gatepost_live_webhook";
pub(super) const LIVE_TASKS: &str = "gatepost_live_task";
pub(super) const LIVE_EVENTS: &str =
    "(SELECT e.id, e.owner FROM gatepost_event e JOIN gatepost_live_task t ON t.id = e.task)";

/// The row of this number, if it is among the live ones.
pub(super) fn one<R>(
    c: &Connection,
    columns_and_table: &str,
    live: &str,
    id: i64,
    read: impl Fn(&Row<'_>) -> Result<R>,
) -> Result<Option<R>> {
    let sql = format!(
        "SELECT {columns_and_table} WHERE id = ?1 AND EXISTS (SELECT 1 FROM {live} l WHERE l.id = ?1)"
    );
    c.prepare_cached(&sql)?
        .query_row([id], |row| Ok(read(row)))
        .optional()?
        .transpose()
}

/// Those of these rows that are live and can be read.
pub(super) fn several<I: Copy + Number, R>(
    c: &Connection,
    columns_and_table: &str,
    live: &str,
    ids: &[I],
    read: impl Fn(&Row<'_>) -> Result<R>,
) -> Result<Vec<R>> {
    let mut found = Vec::new();
    for id in ids {
        let row = readable(one(c, columns_and_table, live, id.number(), &read))?;
        found.extend(row.flatten());
    }
    Ok(found)
}

/// A row number.
pub(super) trait Number {
    fn number(self) -> i64;
}

impl Number for WebhookId {
    fn number(self) -> i64 {
        self.0
    }
}

impl Number for TaskId {
    fn number(self) -> i64 {
        self.0
    }
}

/// Whose a record is, whether or not the rest of it can be read.
pub(super) fn owner_of(c: &Connection, record: RecordId) -> Result<Option<OwnerId>> {
    let (live, id) = match record {
        RecordId::Webhook(id) => (LIVE_WEBHOOKS, id.0),
        RecordId::Task(id) => (LIVE_TASKS, id.0),
        RecordId::Event(id) => (LIVE_EVENTS, id.0),
    };
    let owner = c
        .prepare_cached(&format!("SELECT l.owner FROM {live} l WHERE l.id = ?1"))?
        .query_row([id], |row| Ok(column::owner(&Named::of(row), "owner")))
        .optional()?;
    owner.transpose()
}
