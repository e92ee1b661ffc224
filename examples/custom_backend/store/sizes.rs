//! How much owners have, and what cannot be read.

use std::error::Error as _;

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{RecordId, RecordUsage, TaskRow};
use gatepost_storage::{AtMost, ErrorKind, Row, StoreError};
use serde_json::{Value, json};
use webhook_model::{Event, EventId, TaskId, WebhookId};

use super::codec;
use super::error::Answer;
use super::tables::{EVENTS, Rows, TASKS, Tx, WEBHOOKS, readable};

/// What a record counts for; one that cannot be read counts as it is stored.
pub(super) fn bytes_of(tx: &Tx, table: Rows, row: &Value) -> Answer<u64> {
    let bytes = if is(table, WEBHOOKS) {
        let read = readable(codec::webhook(row, &tx.sealing))?;
        read.map(|row| row.value.stored_bytes())
    } else if is(table, TASKS) {
        readable(codec::decode::<TaskRow>(row))?.map(|row| row.value.stored_bytes())
    } else {
        readable(codec::decode::<Row<EventId, Event>>(row))?.map(|row| row.value.stored_bytes())
    };
    Ok(bytes.unwrap_or(row.to_string().len() as u64))
}

pub(super) fn usage(tx: &Tx, owner: OwnerId) -> Answer<RecordUsage> {
    let mut bytes = 0;
    let mut counts = [0; 3];
    for (count, table) in counts.iter_mut().zip([WEBHOOKS, TASKS, EVENTS]) {
        for (_, row) in tx.rows(table)? {
            if row["owner"] == json!(owner) {
                *count += 1;
                bytes += bytes_of(tx, table, &row)?;
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
    at_most: AtMost,
) -> Answer<()> {
    if at_most == AtMost::UNLIMITED {
        return Ok(());
    }
    let usage = usage(tx, owner)?;
    if rows(&usage) >= at_most.rows {
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
    at_most: AtMost,
) -> Answer<()> {
    if more <= less || at_most == AtMost::UNLIMITED {
        return Ok(());
    }
    let after = usage(tx, owner)?.bytes.saturating_sub(less);
    if after.saturating_add(more) > at_most.bytes {
        return Err(StoreError::new(ErrorKind::Full, "bytes"));
    }
    Ok(())
}

/// Which record a row is, and the error that reading it gives.
pub(super) fn decoded(
    tx: &Tx,
    table: Rows,
    id: i64,
    row: &Value,
) -> (RecordId, Option<StoreError>) {
    if is(table, WEBHOOKS) {
        let read = codec::webhook(row, &tx.sealing);
        (RecordId::Webhook(WebhookId(id)), read.err())
    } else if is(table, TASKS) {
        (
            RecordId::Task(TaskId(id)),
            codec::decode::<TaskRow>(row).err(),
        )
    } else {
        (
            RecordId::Event(EventId(id)),
            codec::decode::<Row<EventId, Event>>(row).err(),
        )
    }
}

/// An error in words, without a secret.
pub(super) fn reason(error: &StoreError) -> String {
    match error.source() {
        Some(cause) => format!("{}: {cause}", error.context()),
        None => error.context().to_owned(),
    }
}

fn is(table: Rows, other: Rows) -> bool {
    redb::TableHandle::name(&table) == redb::TableHandle::name(&other)
}
