//! How much owners have, and what cannot be read.

use std::error::Error as _;

use gatepost_ids::OwnerId;
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::webhooks::{RecordId, RecordRow};
use gatepost_storage::{ErrorKind, StoreError};
use serde_json::{Value, json};
use webhook_model::{EventId, TaskId, WebhookId};

use super::codec;
use super::error::Answer;
use super::tables::{EVENTS, Rows, TASKS, Tx, WEBHOOKS, readable};

/// A table of records, and which record a number in it is.
type Kind = (Rows, fn(i64) -> RecordId);

/// The tables of records.
pub(super) const KINDS: [Kind; 3] = [
    (WEBHOOKS, |id| RecordId::Webhook(WebhookId(id))),
    (TASKS, |id| RecordId::Task(TaskId(id))),
    (EVENTS, |id| RecordId::Event(EventId(id))),
];

/// What a record counts for; one that cannot be read counts as it is stored.
pub(super) fn bytes_of(tx: &Tx, id: impl Into<RecordId>, row: &Value) -> Answer<u64> {
    let read = readable(codec::record(id.into(), row, &tx.sealing))?;
    let bytes = read.map(|row| match row {
        RecordRow::Webhook(row) => row.value.stored_bytes(),
        RecordRow::Task(row) => row.value.stored_bytes(),
        RecordRow::Event(row) => row.value.stored_bytes(),
    });
    Ok(bytes.unwrap_or(row.to_string().len() as u64))
}

pub(super) fn usage(tx: &Tx, owner: OwnerId) -> Answer<RecordUsage> {
    let mut bytes = 0;
    let mut counts = [0; 3];
    for (count, (table, record)) in counts.iter_mut().zip(KINDS) {
        for (id, row) in tx.rows(table)? {
            if row["owner"] == json!(owner) {
                *count += 1;
                bytes += bytes_of(tx, record(id), &row)?;
            }
        }
    }
    let [webhooks, tasks, events] = counts;
    Ok(RecordUsage {
        webhooks,
        tasks,
        events,
        bytes,
    })
}

/// Before an insert: whether the owner may have one more row and these bytes.
pub(super) fn check_room(
    tx: &Tx,
    owner: OwnerId,
    rows: impl Fn(&RecordUsage) -> u64,
    bytes: u64,
    at_most: &RecordUsage,
) -> Answer<()> {
    if rows(at_most) == u64::MAX && at_most.bytes == u64::MAX {
        return Ok(());
    }
    let usage = usage(tx, owner)?;
    if rows(&usage) >= rows(at_most) {
        return Err(StoreError::new(ErrorKind::Full, "rows"));
    }
    if usage.bytes.saturating_add(bytes) > at_most.bytes {
        return Err(StoreError::new(ErrorKind::Full, "bytes"));
    }
    Ok(())
}

/// Before a change that takes `less` bytes from an owner and gives `more`.
pub(super) fn check_growth(
    tx: &Tx,
    owner: OwnerId,
    (less, more): (u64, u64),
    at_most: u64,
) -> Answer<()> {
    if more <= less || at_most == u64::MAX {
        return Ok(());
    }
    let after = usage(tx, owner)?.bytes.saturating_sub(less);
    if after.saturating_add(more) > at_most {
        return Err(StoreError::new(ErrorKind::Full, "bytes"));
    }
    Ok(())
}

/// An error in words, without a secret.
pub(super) fn reason(error: &StoreError) -> String {
    match error.source() {
        Some(cause) => format!("{}: {cause}", error.context()),
        None => error.context().to_owned(),
    }
}
