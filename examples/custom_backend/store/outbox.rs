//! Occurrences that wait to be fanned out.

use std::collections::{BTreeMap, VecDeque};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Left, NewOutbox, OutboxId, OutboxRow, OutboxStore, OutboxTurns};
use gatepost_storage::{Page, StoreError};
use serde_json::Value;
use webhook_model::{Audience, Occurrence, TaskId};

use super::codec;
use super::codec::Fields;
use super::error::{Answer, failed};
use super::redb_store::RedbStore;
use super::tables::{OUTBOX, Tx, page};

#[async_trait]
impl OutboxStore for RedbStore {
    async fn push_outbox(&self, occurrence: &Occurrence, now: DateTime<Utc>) -> Answer<OutboxId> {
        let new = NewOutbox {
            occurrence: occurrence.clone(),
            left: Left::After(TaskId(0)),
            due: now,
        };
        self.write(move |tx| push(tx, &new, now)).await
    }

    async fn outbox(&self, limit: u32, now: DateTime<Utc>) -> Answer<Vec<OutboxRow>> {
        self.read(move |tx, _| {
            let rows = tx.open_table(OUTBOX).map_err(failed)?;
            let waits = |row: &Value| {
                let due = Fields(row).int("due")?;
                Ok(row["rejected"].is_null() && due <= codec::micros(now))
            };
            let all = Page::first(u32::MAX);
            let mut due = page(&rows, &all, waits, |id, row| {
                let at = Fields(&row).int("due")?;
                Ok(Some((at, codec::outbox_row(id, &row)?)))
            })?;
            due.sort_by_key(|(due, row)| (*due, row.id));
            let due = due.into_iter().map(|(_, row)| row).collect();
            Ok(in_turn(due, limit, now))
        })
        .await
    }

    async fn postpone_outbox(&self, id: OutboxId, turn: u32, due: DateTime<Utc>) -> Answer<()> {
        self.write(move |tx| match at_turn(tx, id, turn)? {
            Some(row) => move_on(tx, id, row, due),
            None => Ok(()),
        })
        .await
    }

    async fn reject_outbox(&self, id: OutboxId, reason: &str, _now: DateTime<Utc>) -> Answer<()> {
        let reason = reason.to_owned();
        self.write(move |tx| {
            let mut row = tx
                .row(OUTBOX, id.0)?
                .ok_or_else(|| StoreError::not_found("outbox row"))?;
            row["rejected"] = reason.into();
            tx.put(OUTBOX, id.0, &row)
        })
        .await
    }
}

/// As many as are asked for: of each audience in turn where that many are due.
fn in_turn(due: Vec<OutboxRow>, limit: u32, now: DateTime<Utc>) -> Vec<OutboxRow> {
    if due.len() < limit as usize {
        return due;
    }
    let mut of_each: BTreeMap<Audience, VecDeque<OutboxRow>> = BTreeMap::new();
    for row in due {
        let occurrence = row.occurrence.as_ref();
        let audience = occurrence.map_or(Audience::OneSystem, |occurrence| occurrence.audience);
        of_each.entry(audience).or_default().push_back(row);
    }
    let all: Vec<Audience> = of_each.keys().copied().collect();
    let turns = OutboxTurns::of(&all, limit, now);
    let mut rows = Vec::new();
    for _ in 0..turns.rows_of_each {
        for audience in &turns.audiences {
            rows.extend(of_each.get_mut(audience).and_then(VecDeque::pop_front));
        }
    }
    rows
}

pub(super) fn push(tx: &Tx, new: &NewOutbox, now: DateTime<Utc>) -> Answer<OutboxId> {
    let id = tx.count("outbox")?;
    tx.put(OUTBOX, id, &codec::from_occurrence(new, now))?;
    Ok(OutboxId(id))
}

/// The row, if it waits at this turn.
pub(super) fn at_turn(tx: &Tx, id: OutboxId, turn: u32) -> Answer<Option<Value>> {
    let waits = |row: &Value| row["rejected"].is_null() && row["turn"] == turn;
    Ok(tx.row(OUTBOX, id.0)?.filter(waits))
}

pub(super) fn move_on(tx: &Tx, id: OutboxId, mut row: Value, due: DateTime<Utc>) -> Answer<()> {
    row["turn"] = (Fields(&row).int("turn")? + 1).into();
    row["due"] = codec::micros(due).into();
    tx.put(OUTBOX, id.0, &row)
}
