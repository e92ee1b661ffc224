//! The table of occurrences that wait to be fanned out.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::outbox_turns::Turns;
use super::rows::{Counter, micros};
use crate::owners::PassedOver;
use crate::webhooks::{Left, NewOutbox, OutboxAudience, OutboxId, OutboxRow, OutboxTaken};

/// An occurrence that waits, or was set aside for a reason.
#[derive(Debug)]
struct Entry {
    row: NewOutbox,
    turn: u32,
    created: DateTime<Utc>,
    rejected: Option<String>,
}

impl Entry {
    fn audience(&self) -> OutboxAudience {
        self.row.occurrence.audience.into()
    }
}

#[derive(Debug, Default)]
pub(super) struct Outbox {
    ids: Counter,
    entries: BTreeMap<OutboxId, Entry>,
    /// Those that wait, by audience and due time.
    waiting: BTreeSet<(OutboxAudience, DateTime<Utc>, OutboxId)>,
    turns: Turns,
}

impl Outbox {
    pub(super) fn pass_over(&mut self, numbers: PassedOver) {
        self.ids.pass_over(numbers);
    }

    pub(super) fn len(&self) -> u64 {
        self.waiting.len() as u64
    }

    pub(super) fn push(&mut self, row: NewOutbox, now: DateTime<Utc>) -> OutboxId {
        let id = OutboxId(self.ids.next());
        let due = micros(row.due);
        let entry = Entry {
            row: NewOutbox { due, ..row },
            turn: 0,
            created: micros(now),
            rejected: None,
        };
        self.entries.insert(id, entry);
        self.waits(id);
        id
    }

    /// Whether a row waits at this turn.
    pub(super) fn is_at(&self, id: OutboxId, turn: u32) -> bool {
        let entry = self.entries.get(&id);
        entry.is_some_and(|entry| entry.rejected.is_none() && entry.turn == turn)
    }

    pub(super) fn remove(&mut self, id: OutboxId) {
        self.waits_no_more(id);
        self.entries.remove(&id);
    }

    pub(super) fn move_on(&mut self, id: OutboxId, left: Option<Left>, due: DateTime<Utc>) {
        self.waits_no_more(id);
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.turn += 1;
            entry.row.due = micros(due);
            entry.row.left = left.unwrap_or_else(|| entry.row.left.clone());
        }
        self.waits(id);
    }

    /// The audience whose turn it is, if any has rows that are due and are not another's, and at
    /// most `limit` of these, the oldest due first.
    pub(super) fn take(
        &mut self,
        holder: u128,
        limit: usize,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Option<OutboxTaken> {
        let audience = self.turns.take(holder, until, now)?;
        let first = (audience, DateTime::<Utc>::MIN_UTC, OutboxId(i64::MIN));
        let own = self.waiting.range(first..);
        let due = own.take_while(|(of, due, _)| *of == audience && *due <= now);
        let rows = due.take(limit).filter_map(|(_, _, id)| self.row(*id));
        Some(OutboxTaken {
            audience,
            rows: rows.collect(),
        })
    }

    pub(super) fn give_back(&mut self, audience: OutboxAudience, holder: u128) {
        self.turns.give_back(audience, holder);
    }

    fn waits(&mut self, id: OutboxId) {
        if let Some(entry) = self.entries.get(&id) {
            let audience = entry.audience();
            self.waiting.insert((audience, entry.row.due, id));
            self.turns.set_head(audience, self.head(audience));
        }
    }

    fn waits_no_more(&mut self, id: OutboxId) {
        if let Some(entry) = self.entries.get(&id) {
            let audience = entry.audience();
            self.waiting.remove(&(audience, entry.row.due, id));
            self.turns.set_head(audience, self.head(audience));
        }
    }

    /// The due time of an audience's oldest row that waits.
    fn head(&self, audience: OutboxAudience) -> Option<DateTime<Utc>> {
        let first = (audience, DateTime::<Utc>::MIN_UTC, OutboxId(i64::MIN));
        let (of, due, _) = self.waiting.range(first..).next()?;
        (*of == audience).then_some(*due)
    }

    fn row(&self, id: OutboxId) -> Option<OutboxRow> {
        let entry = self.entries.get(&id)?;
        Some(OutboxRow {
            id,
            occurrence: Ok(entry.row.occurrence.clone()),
            left: entry.row.left.clone(),
            by: entry.row.by,
            turn: entry.turn,
            created: entry.created,
        })
    }

    /// Sets a row aside. `None` when it is not there.
    pub(super) fn reject(&mut self, id: OutboxId, reason: String) {
        self.waits_no_more(id);
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.rejected.get_or_insert(reason);
        }
    }
}
