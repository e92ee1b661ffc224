//! What webhooks, tasks and events have in common as rows.

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::RecordId;
use gatepost_storage::{ErrorKind, Page, Revision, Row, StoreError};
use redb::ReadTransaction;
use serde_json::Value;

use super::codec::Fields;
use super::delivery::to_micros;
use super::error::{Answer, failed};
use super::tables::{Rows, Tx, row};

pub(super) fn one(tx: &ReadTransaction, table: Rows, id: i64) -> Answer<Option<Value>> {
    row(&tx.open_table(table).map_err(failed)?, id)
}

pub(super) fn numbers<I>(page: Page<I>, number: impl Fn(I) -> i64) -> Page<i64> {
    page.numbered(number)
}

/// A row that is to be changed, whether or not all of it can be read.
pub(super) struct Stored {
    pub(super) row: Value,
    pub(super) owner: OwnerId,
    created: DateTime<Utc>,
}

impl Stored {
    /// The row, if it still has the revision that the caller has read.
    pub(super) fn of(row: Option<Value>, revision: Revision, what: &'static str) -> Answer<Self> {
        let row = row.ok_or_else(|| StoreError::not_found(what))?;
        let f = Fields(&row);
        if f.int("revision")? != revision.0 {
            return Err(StoreError::new(ErrorKind::Stale, what));
        }
        Ok(Self {
            owner: owner_in(&row)?,
            created: f.time("created")?,
            row,
        })
    }
}

/// The row after an edit.
pub(super) fn edited<I, T>(old: &Stored, edit: Row<I, T>, now: DateTime<Utc>) -> Row<I, T> {
    Row {
        owner: old.owner,
        revision: edit.revision.next(),
        created: old.created,
        modified: to_micros(now),
        ..edit
    }
}

/// Moves the versions of the places in which records were and are.
pub(super) fn changed(tx: &Tx, owners: [OwnerId; 2], records: &[RecordId]) -> Answer<()> {
    let [old, new] = owners;
    let (old, new) = (tx.owner(old)?.place, tx.owner(new)?.place);
    tx.changed(new, records)?;
    if old != new {
        tx.changed(old, records)?;
    }
    Ok(())
}

pub(super) fn owner_in(row: &Value) -> Answer<OwnerId> {
    Fields(row).owner("owner")
}
