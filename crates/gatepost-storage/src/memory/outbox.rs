//! The outbox in memory.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use webhook_model::{Occurrence, TaskId};

use super::rows::{Counter, micros};
use super::store::MemoryStore;
use crate::error::StoreError;
use crate::webhooks::{Left, NewOutbox, OutboxId, OutboxRow, OutboxStore};

/// An occurrence that waits, or was set aside for a reason.
#[derive(Debug)]
struct Entry {
    row: NewOutbox,
    turn: u32,
    created: DateTime<Utc>,
    rejected: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Outbox {
    ids: Counter,
    entries: BTreeMap<OutboxId, Entry>,
    /// Those that wait, by due time.
    waiting: BTreeSet<(DateTime<Utc>, OutboxId)>,
}

impl Outbox {
    pub(super) fn len(&self) -> u64 {
        self.waiting.len() as u64
    }

    pub(super) fn push(&mut self, row: NewOutbox, now: DateTime<Utc>) -> OutboxId {
        let id = OutboxId(self.ids.next());
        let due = micros(row.due);
        self.waiting.insert((due, id));
        let entry = Entry {
            row: NewOutbox { due, ..row },
            turn: 0,
            created: micros(now),
            rejected: None,
        };
        self.entries.insert(id, entry);
        id
    }

    /// Whether a row waits at this turn.
    pub(super) fn is_at(&self, id: OutboxId, turn: u32) -> bool {
        let entry = self.entries.get(&id);
        entry.is_some_and(|entry| entry.rejected.is_none() && entry.turn == turn)
    }

    pub(super) fn remove(&mut self, id: OutboxId) {
        if let Some(entry) = self.entries.remove(&id) {
            self.waiting.remove(&(entry.row.due, id));
        }
    }

    pub(super) fn move_on(&mut self, id: OutboxId, left: Option<Left>, due: DateTime<Utc>) {
        if let Some(entry) = self.entries.get_mut(&id) {
            self.waiting.remove(&(entry.row.due, id));
            entry.turn += 1;
            entry.row.due = micros(due);
            entry.row.left = left.unwrap_or_else(|| entry.row.left.clone());
            self.waiting.insert((entry.row.due, id));
        }
    }
}

#[async_trait]
impl OutboxStore for MemoryStore {
    async fn push_outbox(
        &self,
        occurrence: &Occurrence,
        now: DateTime<Utc>,
    ) -> Result<OutboxId, StoreError> {
        let row = NewOutbox {
            occurrence: occurrence.clone(),
            left: Left::After(TaskId(0)),
            due: now,
        };
        Ok(self.tables().outbox.push(row, now))
    }

    async fn outbox(&self, limit: u32, now: DateTime<Utc>) -> Result<Vec<OutboxRow>, StoreError> {
        let tables = self.tables();
        let waiting = tables.outbox.waiting.iter();
        let due = waiting.take_while(|(due, _)| *due <= now);
        let rows = due.take(limit as usize).filter_map(|(_, id)| {
            let entry = tables.outbox.entries.get(id)?;
            Some(OutboxRow {
                id: *id,
                occurrence: Ok(entry.row.occurrence.clone()),
                left: entry.row.left.clone(),
                turn: entry.turn,
                created: entry.created,
            })
        });
        Ok(rows.collect())
    }

    async fn postpone_outbox(
        &self,
        id: OutboxId,
        turn: u32,
        due: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut tables = self.tables();
        if tables.outbox.is_at(id, turn) {
            tables.outbox.move_on(id, None, due);
        }
        Ok(())
    }

    async fn reject_outbox(
        &self,
        id: OutboxId,
        reason: &str,
        _now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut tables = self.tables();
        let outbox = &mut tables.outbox;
        let entry = outbox.entries.get_mut(&id);
        let entry = entry.ok_or_else(|| StoreError::not_found("outbox row"))?;
        entry.rejected = Some(reason.to_owned());
        outbox.waiting.remove(&(entry.row.due, id));
        Ok(())
    }
}
