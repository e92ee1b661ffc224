//! Rows of the outbox: how they wait, move on and go.

use chrono::{DateTime, Utc};
use gatepost_storage::stored::StoredOccurrence;
use gatepost_storage::webhooks::{Left, NewOutbox, OutboxAudience, OutboxId, OutboxRow};
use redb::ReadableTable as _;

use super::codec::{decode, encode, micros};
use super::error::{Answer, failed};
use super::tables::{OUTBOX, OUTBOX_DUE, Tx};
use super::turns;

pub(super) fn push(tx: &Tx, new: &NewOutbox, now: DateTime<Utc>) -> Answer<OutboxId> {
    let id = OutboxId(tx.count("outbox")?);
    put(tx, id, &StoredOccurrence::pushed(new, now))?;
    Ok(id)
}

/// The row, if it waits at this turn.
pub(super) fn at_turn(tx: &Tx, id: OutboxId, turn: u32) -> Answer<Option<StoredOccurrence>> {
    Ok(find(tx, id)?.filter(|row| row.is_at(turn)))
}

pub(super) fn find(tx: &Tx, id: OutboxId) -> Answer<Option<StoredOccurrence>> {
    tx.row(OUTBOX, id.0)?.map(|row| decode(&row)).transpose()
}

/// Stores a row at its next turn, with what is left of it then, if that changes.
pub(super) fn move_on(
    tx: &Tx,
    id: OutboxId,
    mut row: StoredOccurrence,
    left: Option<&Left>,
    due: DateTime<Utc>,
) -> Answer<()> {
    waits_no_more(tx, id, &row)?;
    row.move_on(left, due);
    put(tx, id, &row)
}

pub(super) fn remove(tx: &Tx, id: OutboxId) -> Answer<()> {
    if let Some(row) = find(tx, id)? {
        waits_no_more(tx, id, &row)?;
    }
    tx.remove(OUTBOX, id.0)
}

/// Sets a row aside.
pub(super) fn reject(tx: &Tx, id: OutboxId, mut row: StoredOccurrence, reason: &str) -> Answer<()> {
    waits_no_more(tx, id, &row)?;
    row.reject(reason);
    put(tx, id, &row)
}

/// The rows of an audience that are due, the oldest due first, at most `limit`.
pub(super) fn due(
    tx: &Tx,
    audience: OutboxAudience,
    limit: u32,
    now: DateTime<Utc>,
) -> Answer<Vec<OutboxRow>> {
    let OutboxAudience { tenant, owner } = audience;
    let span = (tenant, owner, i64::MIN, i64::MIN)..=(tenant, owner, micros(now), i64::MAX);
    let waiting = tx.open(OUTBOX_DUE)?;
    let mut rows = Vec::new();
    for entry in waiting.range(span).map_err(failed)?.take(limit as usize) {
        let id = entry.map_err(failed)?.0.value().3;
        let id = OutboxId(id);
        rows.extend(find(tx, id)?.map(|row| row.row(id)));
    }
    Ok(rows)
}

fn put(tx: &Tx, id: OutboxId, row: &StoredOccurrence) -> Answer<()> {
    tx.put(OUTBOX, id.0, &encode(row)?)?;
    if let Some(key) = place(id, row) {
        tx.open(OUTBOX_DUE)?.insert(key, ()).map_err(failed)?;
    }
    turns::set_head(tx, row.audience(), head(tx, row.audience())?)
}

fn waits_no_more(tx: &Tx, id: OutboxId, row: &StoredOccurrence) -> Answer<()> {
    if let Some(key) = place(id, row) {
        tx.open(OUTBOX_DUE)?.remove(key).map_err(failed)?;
    }
    turns::set_head(tx, row.audience(), head(tx, row.audience())?)
}

/// Where a row waits.
fn place(id: OutboxId, row: &StoredOccurrence) -> Option<(u128, u128, i64, i64)> {
    let OutboxAudience { tenant, owner } = row.audience();
    row.waits_until().map(|due| (tenant, owner, due, id.0))
}

/// When the oldest row of an audience that waits is due.
fn head(tx: &Tx, audience: OutboxAudience) -> Answer<Option<i64>> {
    let OutboxAudience { tenant, owner } = audience;
    let own = (tenant, owner, i64::MIN, i64::MIN)..=(tenant, owner, i64::MAX, i64::MAX);
    let waiting = tx.open(OUTBOX_DUE)?;
    let first = waiting.range(own).map_err(failed)?.next();
    let first = first.transpose().map_err(failed)?;
    Ok(first.map(|(key, _)| key.value().2))
}
