//! Rows by their numbers.

use std::collections::BTreeSet;

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::RecordId;
use rusqlite::{Connection, OptionalExtension as _, Row};
use webhook_model::{Event, Task, Webhook};

use super::table::Stored;
use crate::column;
use crate::error::Result;
use crate::list::readable;
use crate::named::Named;

/// The row of this number, if it is not gone.
pub(super) fn one<R: Stored, T>(
    c: &Connection,
    id: R::Id,
    read: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    find::<R, T>(c, &R::table().select, id, read)
}

/// As [`one`], of the columns that `select` names, with the table.
pub(super) fn find<R: Stored, T>(
    c: &Connection,
    select: &str,
    id: R::Id,
    read: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let live = R::LIVE;
    let sql = format!(
        "SELECT {select} WHERE id = ?1 AND EXISTS (SELECT 1 FROM {live} l WHERE l.id = ?1)"
    );
    let id: i64 = id.into();
    c.prepare_cached(&sql)?
        .query_row([id], |row| Ok(read(row)))
        .optional()?
        .transpose()
}

/// Those of these rows that are not gone and can be read, each once, in order.
pub(super) fn several<R: Stored<Id: Ord>, T>(
    c: &Connection,
    select: &str,
    ids: impl IntoIterator<Item = R::Id>,
    read: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    for id in ids.into_iter().collect::<BTreeSet<_>>() {
        found.extend(readable(find::<R, T>(c, select, id, &read))?.flatten());
    }
    Ok(found)
}

/// Whose a record is, whether or not the rest of it can be read.
pub(super) fn owner_of(c: &Connection, record: RecordId) -> Result<Option<OwnerId>> {
    let (live, id) = match record {
        RecordId::Webhook(id) => (Webhook::LIVE, id.0),
        RecordId::Task(id) => (Task::LIVE, id.0),
        RecordId::Event(id) => (Event::LIVE, id.0),
    };
    let owner = c
        .prepare_cached(&format!("SELECT l.owner FROM {live} l WHERE l.id = ?1"))?
        .query_row([id], |row| Ok(column::owner(&Named::of(row), "owner")))
        .optional()?;
    owner.transpose()
}
