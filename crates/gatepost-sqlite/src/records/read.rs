//! Rows by their numbers.

use std::collections::BTreeSet;

use gatepost_ids::OwnerId;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{Found, RecordHead, RecordId, RecordRow};
use gatepost_storage::{ErrorKind, StoreError};
use rusqlite::{Connection, Row};
use webhook_model::{Event, Task, Webhook};

use super::table::{self, Stored};
use crate::column;
use crate::error::Result;
use crate::list::readable;
use crate::named::Named;
use crate::sql::Sql as _;

/// Returns a record; only an error of the disk is an error of the call.
pub(super) fn get(c: &Connection, keys: &SealingKeys, id: RecordId) -> Result<Found<RecordRow>> {
    match id {
        RecordId::Webhook(id) => found(row_of::<Webhook>(c, keys, id)),
        RecordId::Task(id) => found(row_of::<Task>(c, keys, id)),
        RecordId::Event(id) => found(row_of::<Event>(c, keys, id)),
    }
}

fn row_of<R>(c: &Connection, keys: &SealingKeys, id: R::Id) -> Result<Option<RecordRow>>
where
    R: Stored,
    gatepost_storage::Row<R::Id, R>: Into<RecordRow>,
{
    one::<R, _>(c, id, |row| Ok(table::row::<R>(row, keys)?.into()))
}

/// Returns the summary of a record.
pub(super) fn head(c: &Connection, record: RecordId) -> Result<Found<RecordHead>> {
    found(match record {
        RecordId::Webhook(id) => head_of::<Webhook>(c, record, id),
        RecordId::Task(id) => head_of::<Task>(c, record, id),
        RecordId::Event(id) => head_of::<Event>(c, record, id),
    })
}

fn head_of<R: Stored>(c: &Connection, record: RecordId, id: R::Id) -> Result<Option<RecordHead>> {
    let (live, name, head) = (R::LIVE, R::NAME, R::HEAD);
    let sql = format!(
        "SELECT l.owner, {head} FROM {live} l JOIN gatepost_{name} r ON r.id = l.id WHERE l.id = ?1"
    );
    let id: i64 = id.into();
    c.first(&sql, [id], |row| {
        Ok(RecordHead {
            record,
            owner: column::owner(&Named::of(row), "owner")?,
            name: row.get(1).unwrap_or_default(),
            enabled: row.get(2)?,
        })
    })
}

fn found<T>(read: Result<Option<T>>) -> Result<Found<T>> {
    match read.map_err(StoreError::from) {
        Ok(row) => Ok(Ok(row)),
        Err(error) if error.kind() == ErrorKind::Corrupt => Ok(Err(error)),
        Err(error) => Err(error.into()),
    }
}

/// Returns the row with this number, if it is not deleted.
pub(super) fn one<R: Stored, T>(
    c: &Connection,
    id: R::Id,
    read: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let (select, live) = (&R::table().select, R::LIVE);
    let sql = format!(
        "SELECT {select} WHERE id = ?1 AND EXISTS (SELECT 1 FROM {live} l WHERE l.id = ?1)"
    );
    let id: i64 = id.into();
    c.first(&sql, [id], read)
}

/// Returns the rows with these numbers that are not deleted and can be read, each once, in order.
pub(super) fn several<R: Stored<Id: Ord>, T>(
    c: &Connection,
    ids: impl IntoIterator<Item = R::Id>,
    read: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    for id in ids.into_iter().collect::<BTreeSet<_>>() {
        found.extend(readable(one::<R, T>(c, id, &read))?.flatten());
    }
    Ok(found)
}

/// Returns the owner of a record, even if the rest of it cannot be read.
pub(super) fn owner_of(c: &Connection, record: RecordId) -> Result<Option<OwnerId>> {
    let (live, id) = match record {
        RecordId::Webhook(id) => (Webhook::LIVE, id.0),
        RecordId::Task(id) => (Task::LIVE, id.0),
        RecordId::Event(id) => (Event::LIVE, id.0),
    };
    let sql = &format!("SELECT l.owner FROM {live} l WHERE l.id = ?1");
    c.first(sql, [id], |row| column::owner(&Named::of(row), "owner"))
}
