//! The table of occurrences that wait to be fanned out.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use webhook_model::Audience;

use super::rows::{Counter, micros};
use crate::webhooks::{Left, NewOutbox, OutboxId, OutboxRow, OutboxTurns};

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

    /// At most `limit` rows that are due, the oldest due first; of each audience in turn where that
    /// many are.
    pub(super) fn due(&self, limit: u32, now: DateTime<Utc>) -> Vec<OutboxRow> {
        let due = || self.waiting.iter().take_while(|(due, _)| *due <= now);
        if due().nth((limit as usize).saturating_sub(1)).is_none() {
            return due().filter_map(|(_, id)| self.row(*id)).collect();
        }
        let mut of_each: BTreeMap<Audience, Vec<OutboxId>> = BTreeMap::new();
        for (_, id) in due() {
            let entry = self.entries.get(id);
            let audience = entry.map(|entry| entry.row.occurrence.audience);
            let audience = audience.unwrap_or(Audience::OneSystem);
            of_each.entry(audience).or_default().push(*id);
        }
        let all: Vec<Audience> = of_each.keys().copied().collect();
        let turns = OutboxTurns::of(&all, limit, now);
        let rounds = 0..turns.rows_of_each as usize;
        let of_each = &of_each;
        let ids = rounds.flat_map(|round| {
            let audiences = turns.audiences.iter();
            audiences.filter_map(move |audience| of_each.get(audience)?.get(round))
        });
        ids.filter_map(|id| self.row(*id)).collect()
    }

    fn row(&self, id: OutboxId) -> Option<OutboxRow> {
        let entry = self.entries.get(&id)?;
        Some(OutboxRow {
            id,
            occurrence: Ok(entry.row.occurrence.clone()),
            left: entry.row.left.clone(),
            turn: entry.turn,
            created: entry.created,
        })
    }

    /// Sets a row aside. `None` when it is not there.
    pub(super) fn reject(&mut self, id: OutboxId, reason: &str) -> Option<()> {
        let entry = self.entries.get_mut(&id)?;
        entry.rejected = Some(reason.to_owned());
        self.waiting.remove(&(entry.row.due, id));
        Some(())
    }
}
