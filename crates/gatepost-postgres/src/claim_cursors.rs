//! Claim cursors: the positions at which the claims of a queue begin.
//!
//! A claimed delivery leaves its entry in the index of the queue until it is removed: as long as
//! any transaction might still see it (a report, a dump), and for some time after. A claim that
//! begins at the start of its queue walks over the entries of all earlier claims. So this process
//! remembers the position up to which it has claimed from each queue, and begins there.
//!
//! The cursor is only an optimization. It moves back whenever this process is notified that
//! something waits: because it enqueued it ([`queued`](Fronts::queued)), another process notifies
//! it ([`heard`](Fronts::heard)), or a query of the queue found it ([`found`](Fronts::found)).

mod cursor;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{DueQueue, WebhookQueue};

use self::cursor::{FRONT, Front};

/// The maximum number of queues that are remembered.
const MOST: usize = 4_096;

#[derive(Debug, Default)]
pub(crate) struct Fronts(Mutex<HashMap<WebhookQueue, Front>>);

/// Claims under way. If it is dropped without [`end`](Self::end), their results are unknown.
pub(crate) struct Claiming<'a> {
    fronts: &'a Fronts,
    queues: Vec<(WebhookQueue, i64)>,
    /// The due time at which the claim of each queue begins; `None` is the start of the queue.
    pub(crate) since: Vec<Option<DateTime<Utc>>>,
    ended: bool,
}

impl Fronts {
    /// Begins a claim from these queues, each once, with the maximum for each.
    pub(crate) fn claim(&self, queues: Vec<(WebhookQueue, i64)>) -> Claiming<'_> {
        let mut known = self.lock();
        if known.len() + queues.len() > MOST {
            known.clear();
        }
        let since = queues.iter().map(|(queue, _)| {
            let front = known.entry(*queue).or_default();
            front.begin();
            front.since()
        });
        let since = since.collect();
        drop(known);
        Claiming {
            fronts: self,
            queues,
            since,
            ended: false,
        }
    }

    /// Records that something waits in these queues, due at these times.
    pub(crate) fn queued(&self, waits: impl IntoIterator<Item = (WebhookQueue, DateTime<Utc>)>) {
        let mut known = self.lock();
        for (queue, due) in waits {
            if let Some(front) = known.get_mut(&queue) {
                front.queued(due);
            }
        }
    }

    /// Records that something waits in an unknown queue.
    pub(crate) fn queued_somewhere(&self, due: DateTime<Utc>) {
        for front in self.lock().values_mut() {
            front.queued(due);
        }
    }

    /// Records the first delivery of each of these queues.
    pub(crate) fn found(&self, queues: &[DueQueue]) {
        self.queued(queues.iter().map(|found| (found.queue, found.due)));
    }

    /// Records that other processes have enqueued something in these queues, with unknown due
    /// times.
    pub(crate) fn heard(&self, queues: &[WebhookQueue]) {
        self.queued(queues.iter().map(|queue| (*queue, FRONT)));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<WebhookQueue, Front>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Claiming<'_> {
    /// Takes the queues and due times of the deliveries that were claimed at `now`.
    pub(crate) fn end(
        mut self,
        claimed: impl IntoIterator<Item = (WebhookQueue, DateTime<Utc>)>,
        now: DateTime<Utc>,
    ) {
        let mut last: HashMap<WebhookQueue, (i64, DateTime<Utc>)> = HashMap::new();
        for (queue, due) in claimed {
            let (count, latest) = last.entry(queue).or_insert((0, due));
            *count += 1;
            *latest = due.max(*latest);
        }
        self.ended = true;
        let mut known = self.fronts.lock();
        for ((queue, most), begun) in self.queues.iter().zip(&self.since) {
            let Some(front) = known.get_mut(queue) else {
                continue;
            };
            match last.get(queue) {
                Some((count, latest)) if count == most => front.end(*begun, *latest),
                Some(_) => front.end(*begun, now),
                // The queue is empty, or nothing in it can be claimed at this time.
                None => front.end_in_vain(),
            }
        }
    }
}

impl Drop for Claiming<'_> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let mut known = self.fronts.lock();
        for (queue, _) in &self.queues {
            // It may have claimed nothing, and other claims have skipped the rows that it held.
            known.remove(queue);
        }
    }
}

#[cfg(test)]
mod tests;
