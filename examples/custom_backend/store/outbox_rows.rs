//! Rows of the outbox: how they wait, move on and go.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{NewOutbox, OutboxAudience, OutboxId, OutboxRow};
use redb::ReadableTable as _;
use serde_json::Value;

use super::codec::{self, Fields, micros};
use super::error::{Answer, failed};
use super::tables::{OUTBOX, OUTBOX_DUE, Tx};
use super::turns;

pub(super) fn push(tx: &Tx, new: &NewOutbox, now: DateTime<Utc>) -> Answer<OutboxId> {
    let id = OutboxId(tx.count("outbox")?);
    let row = codec::from_occurrence(new, now);
    tx.put(OUTBOX, id.0, &row)?;
    waits(tx, id, &row)?;
    Ok(id)
}

/// The row, if it waits at this turn.
pub(super) fn at_turn(tx: &Tx, id: OutboxId, turn: u32) -> Answer<Option<Value>> {
    let waits = |row: &Value| row["rejected"].is_null() && row["turn"] == turn;
    Ok(tx.row(OUTBOX, id.0)?.filter(waits))
}

/// Stores a row at its next turn.
pub(super) fn move_on(tx: &Tx, id: OutboxId, mut row: Value, due: DateTime<Utc>) -> Answer<()> {
    waits_no_more(tx, id, &row)?;
    row["turn"] = (Fields(&row).int("turn")? + 1).into();
    row["due"] = micros(due).into();
    tx.put(OUTBOX, id.0, &row)?;
    waits(tx, id, &row)
}

pub(super) fn remove(tx: &Tx, id: OutboxId) -> Answer<()> {
    if let Some(row) = tx.row(OUTBOX, id.0)? {
        waits_no_more(tx, id, &row)?;
    }
    tx.remove(OUTBOX, id.0)
}

/// Sets a row aside.
pub(super) fn reject(tx: &Tx, id: OutboxId, mut row: Value, reason: &str) -> Answer<()> {
    waits_no_more(tx, id, &row)?;
    row["rejected"] = reason.into();
    tx.put(OUTBOX, id.0, &row)
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
        if let Some(row) = tx.row(OUTBOX, id)? {
            rows.push(codec::outbox_row(id, &row)?);
        }
    }
    Ok(rows)
}

fn waits(tx: &Tx, id: OutboxId, row: &Value) -> Answer<()> {
    let (audience, key) = place(id, row)?;
    tx.open(OUTBOX_DUE)?.insert(key, ()).map_err(failed)?;
    turns::set_head(tx, audience, head(tx, audience)?)
}

fn waits_no_more(tx: &Tx, id: OutboxId, row: &Value) -> Answer<()> {
    let (audience, key) = place(id, row)?;
    tx.open(OUTBOX_DUE)?.remove(key).map_err(failed)?;
    turns::set_head(tx, audience, head(tx, audience)?)
}

/// Whose a row is, and where it waits.
fn place(id: OutboxId, row: &Value) -> Answer<(OutboxAudience, (i64, i64, i64, i64))> {
    let f = Fields(row);
    let tenant = f.maybe_int("tenant").unwrap_or(0);
    let owner = f.maybe_int("owner").unwrap_or(0);
    let key = (tenant, owner, f.int("due")?, id.0);
    Ok((OutboxAudience { tenant, owner }, key))
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
