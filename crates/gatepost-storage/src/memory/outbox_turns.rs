//! Whose rows of the outbox come next, and who has them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::rows::{Counter, micros};
use crate::webhooks::OutboxAudience;

#[derive(Debug, Default)]
pub(super) struct Turns {
    taken: Counter,
    /// All audiences that ever had a row.
    of: BTreeMap<OutboxAudience, Turn>,
    /// Those whose oldest row was due at some time, by when they were taken.
    due: BTreeSet<(i64, OutboxAudience)>,
    /// The others that have rows, by when the oldest is due.
    later: BTreeSet<(DateTime<Utc>, OutboxAudience)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    /// Rises with each time that one is taken; 0 before the first.
    taken: i64,
    holder: Option<(u128, DateTime<Utc>)>,
    /// When its oldest row is due.
    head: Option<DateTime<Utc>>,
}

impl Turn {
    fn is_free(&self, holder: u128, now: DateTime<Utc>) -> bool {
        self.holder
            .is_none_or(|(by, until)| by == holder || until <= now)
    }

    fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.head.is_some_and(|head| head <= now)
    }
}

impl Turns {
    /// To be called when the oldest row of an audience is another, or none.
    pub(super) fn set_head(&mut self, audience: OutboxAudience, head: Option<DateTime<Utc>>) {
        let turn = self.of.entry(audience).or_default();
        if turn.head == head {
            return;
        }
        if let Some(old) = turn.head {
            self.due.remove(&(turn.taken, audience));
            self.later.remove(&(old, audience));
        }
        turn.head = head;
        self.later.extend(head.map(|head| (head, audience)));
    }

    /// Of those that have rows due and are not another's, the one that was taken longest ago.
    pub(super) fn take(
        &mut self,
        holder: u128,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Option<OutboxAudience> {
        self.become_due(now);
        let fits = |(_, audience): &&_| {
            let turn = self.of.get(audience);
            turn.is_some_and(|turn| turn.is_due(now) && turn.is_free(holder, now))
        };
        let (taken, audience) = self.due.iter().find(fits).copied()?;
        self.due.remove(&(taken, audience));
        let turn = self.of.get_mut(&audience)?;
        turn.taken = self.taken.next();
        turn.holder = Some((holder, micros(until)));
        self.due.insert((turn.taken, audience));
        Some(audience)
    }

    pub(super) fn give_back(&mut self, audience: OutboxAudience, holder: u128) {
        if let Some(turn) = self.of.get_mut(&audience)
            && turn.holder.is_some_and(|(by, _)| by == holder)
        {
            turn.holder = None;
        }
    }

    fn become_due(&mut self, now: DateTime<Utc>) {
        while let Some((head, audience)) = self.later.first().copied()
            && head <= now
        {
            self.later.pop_first();
            let taken = self.of.get(&audience).map_or(0, |turn| turn.taken);
            self.due.insert((taken, audience));
        }
    }
}
