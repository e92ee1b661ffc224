//! Deliveries in their stored form, and their indexes.

use std::sync::Arc;

use gatepost_storage::columns::SealedAttempt;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{
    AttemptRecord, Claim, DeliveryId, DeliveryRow, DeliveryState, WebhookQueue,
};
use serde::{Deserialize, Serialize};
use webhook_model::WebhookId;

use super::error::{Outcome, Stop, damaged};
use super::key::{Key, last_number};
use super::rows::{Index, Rows, key_of};
use super::tables::{
    ATTEMPTS, BODIES, DELIVERIES, DELIVERY_OF_OWNER, DELIVERY_OF_TASK, DELIVERY_OF_TENANT,
    DELIVERY_OF_WEBHOOK, DUE, ENDED, GONE, LEASED, LOG_BYTES, OPEN, QUEUED, RUNNING,
};
use super::tx::{Tx, keys_in, row, rows_in};
use crate::contract::View;
use crate::key_range::KeyRange;
use crate::table::Table;

pub(super) const ROWS: Rows<Entry> = Rows {
    table: DELIVERIES,
    fixed: &[
        Index::of(DELIVERY_OF_OWNER, |e| {
            Some(Key::new().owner(e.row.delivery.owner))
        }),
        Index::of(DELIVERY_OF_TENANT, |e| {
            Some(Key::new().wide(e.row.delivery.tenant?.0))
        }),
        Index::of(DELIVERY_OF_WEBHOOK, |e| Some(of_webhook(e))),
        Index::of(DELIVERY_OF_TASK, |e| {
            Some(Key::new().number(e.row.delivery.task?.0))
        }),
    ],
    indexes: &[
        Index::of(OPEN, |e| e.is_open().then(|| of_webhook(e))),
        Index::of(QUEUED, |e| {
            let waits = e.state() == DeliveryState::Queued;
            waits.then(|| queue_key(e.row.queue()).time(e.row.delivery.due))
        }),
        Index::with(
            DUE,
            |e| {
                let waits = e.state() == DeliveryState::Queued;
                waits.then(|| Key::new().time(e.row.delivery.due))
            },
            |e| queue_key(e.row.queue()).into(),
        ),
        Index::of(RUNNING, |e| {
            (e.state() == DeliveryState::Running).then(|| of_webhook(e))
        }),
        Index::of(LEASED, |e| {
            let end = e.row.delivery.lease_until;
            let end = end.filter(|_| e.state() == DeliveryState::Running);
            Some(Key::new().time(end?))
        }),
        Index::of(ENDED, |e| {
            (!e.is_open()).then(|| Key::new().time(e.row.delivery.created))
        }),
    ],
};

/// A delivery without its message, which is stored separately.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Entry {
    pub(super) row: DeliveryRow,
    /// The bytes of the message, if it is kept.
    pub(super) body_bytes: u64,
    /// The number of its owner's moves when it was stored.
    pub(super) moves: i64,
}

impl Entry {
    pub(super) fn id(&self) -> DeliveryId {
        self.row.delivery.id
    }

    pub(super) fn state(&self) -> DeliveryState {
        self.row.delivery.state
    }

    pub(super) fn is_open(&self) -> bool {
        !self.state().is_final()
    }

    /// Returns the bytes that count towards its owner's log.
    pub(super) fn bytes(&self) -> u64 {
        self.body_bytes + self.row.kept_bytes
    }
}

fn of_webhook(entry: &Entry) -> Key {
    Key::new().number(entry.row.delivery.webhook.0)
}

/// Returns the key of the queue in which deliveries wait.
pub(super) fn queue_key(queue: WebhookQueue) -> Key {
    let class = u8::try_from(queue.class.number()).unwrap_or(u8::MAX);
    Key::new().number(queue.webhook.0).byte(class)
}

/// Returns a delivery, unless its webhook is deleted.
pub(super) fn get(view: &dyn View, id: DeliveryId) -> Outcome<Option<Entry>> {
    let entry = ROWS.get(view, id.0)?;
    match entry {
        Some(entry) if is_gone(view, entry.row.delivery.webhook)? => Ok(None),
        entry => Ok(entry),
    }
}

pub(super) fn is_gone(view: &dyn View, webhook: WebhookId) -> Outcome<bool> {
    Ok(view.get(GONE, &key_of(webhook.0))?.is_some())
}

/// Returns the message, if it is kept.
pub(super) fn body(view: &dyn View, entry: &Entry) -> Outcome<Arc<str>> {
    if entry.body_bytes == 0 {
        return Ok("".into());
    }
    let body = view.get(BODIES, &key_of(entry.id().0))?;
    let body = body.ok_or_else(|| damaged("delivery"))?;
    let text = std::str::from_utf8(&body).map_err(|_| damaged("delivery"))?;
    Ok(text.into())
}

pub(super) fn insert(tx: &mut Tx<'_>, mut row: DeliveryRow, moves: i64) -> Outcome<()> {
    let body = std::mem::replace(&mut row.delivery.body, "".into());
    let entry = Entry {
        row,
        body_bytes: body.len() as u64,
        moves,
    };
    if !body.is_empty() {
        tx.put(BODIES, &key_of(entry.id().0), body.as_bytes())?;
    }
    ROWS.put(tx, entry.id().0, &entry, None)?;
    count_bytes(tx, 0, entry.bytes());
    Ok(())
}

/// Changes an existing delivery, unless `change` returns nothing.
pub(super) fn change<R>(
    tx: &mut Tx<'_>,
    id: DeliveryId,
    change: impl FnOnce(&mut DeliveryRow) -> Option<R>,
) -> Outcome<Option<R>> {
    match get(tx, id)? {
        Some(mut entry) => change_read(tx, &mut entry, change),
        None => Ok(None),
    }
}

pub(super) fn change_read<R>(
    tx: &mut Tx<'_>,
    entry: &mut Entry,
    change: impl FnOnce(&mut DeliveryRow) -> Option<R>,
) -> Outcome<Option<R>> {
    let id = entry.id();
    let (old, before) = (ROWS.entries(id.0, entry), entry.bytes());
    let Some(answer) = change(&mut entry.row) else {
        return Ok(None);
    };
    if !entry.row.delivery.message_kept && entry.body_bytes > 0 {
        tx.delete(BODIES, &key_of(id.0))?;
        entry.body_bytes = 0;
    }
    ROWS.replace(tx, id.0, entry, old)?;
    count_bytes(tx, before, entry.bytes());
    Ok(Some(answer))
}

/// Removes a delivery with its attempts.
pub(super) fn remove(tx: &mut Tx<'_>, entry: &Entry) -> Outcome<()> {
    let id = entry.id().0;
    ROWS.delete(tx, id, entry)?;
    tx.delete(BODIES, &key_of(id))?;
    for number in 1..=i64::from(entry.row.delivery.attempts) {
        tx.delete(ATTEMPTS, Key::new().number(id).number(number).bytes())?;
    }
    count_bytes(tx, entry.bytes(), 0);
    Ok(())
}

/// Removes the delivery of an index's key. If it cannot be read, only the known parts are removed.
pub(super) fn remove_unread(tx: &mut Tx<'_>, index: Table, key: &[u8]) -> Outcome<()> {
    let id = last_number(key)?;
    match ROWS.get(tx, id) {
        Ok(Some(entry)) => remove(tx, &entry),
        Ok(None) | Err(Stop::Refused(_)) => {
            tx.delete(DELIVERIES, &key_of(id))?;
            tx.delete(BODIES, &key_of(id))?;
            tx.delete(index, key)
        }
        Err(stop) => Err(stop),
    }
}

/// Removes an unreadable delivery from the queue, so that it does not block others.
pub(super) fn forget(tx: &mut Tx<'_>, id: DeliveryId) -> Outcome<()> {
    for table in [OPEN, QUEUED, DUE, RUNNING, LEASED] {
        let mut own = keys_in(tx, table, &KeyRange::all(), usize::MAX)?;
        own.retain(|key| key.ends_with(Key::new().number(id.0).bytes()));
        for key in own {
            tx.delete(table, &key)?;
        }
    }
    Ok(())
}

/// As [`get`]. A row that cannot be read leaves the queues.
pub(super) fn get_or_forget(tx: &mut Tx<'_>, id: DeliveryId) -> Outcome<Option<Entry>> {
    match get(tx, id) {
        Err(Stop::Refused(_)) => {
            forget(tx, id)?;
            Ok(None)
        }
        entry => entry,
    }
}

/// Logs an attempt, sealed for the claim under which it was made.
pub(super) fn log(
    tx: &mut Tx<'_>,
    claim: Claim,
    attempt: AttemptRecord,
    keys: &SealingKeys,
) -> Outcome<()> {
    let key = Key::new().number(claim.delivery.0).number(attempt.number);
    let sealed = SealedAttempt::seal(attempt, claim, keys)?;
    tx.put_row(ATTEMPTS, key.bytes(), &sealed)
}

/// Returns the last attempts of a delivery, oldest first.
pub(super) fn attempts(
    view: &dyn View,
    entry: &Entry,
    last: u32,
    keys: &SealingKeys,
) -> Outcome<Vec<AttemptRecord>> {
    let all = entry.row.delivery.attempts;
    let mut found = Vec::new();
    for number in all.saturating_sub(last) + 1..=all {
        let key = Key::new().number(entry.id().0).number(number);
        let sealed: Option<SealedAttempt> = row(view, ATTEMPTS, key.bytes())?;
        let opened = sealed.map(|sealed| sealed.open(number, keys));
        found.extend(opened.transpose()?);
    }
    Ok(found)
}

/// Returns the bytes of all messages and attempts.
pub(super) fn log_bytes(view: &dyn View) -> Outcome<u64> {
    let parts = rows_in(view, LOG_BYTES, &KeyRange::all(), usize::MAX, |_, value| {
        let bytes = <[u8; 8]>::try_from(value).map_err(|_| damaged(LOG_BYTES.name))?;
        Ok(i64::from_be_bytes(bytes))
    })?;
    let sum = parts.into_iter().fold(0, i64::saturating_add);
    Ok(sum.max(0).unsigned_abs())
}

fn count_bytes(tx: &mut Tx<'_>, before: u64, after: u64) {
    tx.common.log_bytes += after.cast_signed() - before.cast_signed();
}
