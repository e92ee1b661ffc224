//! Where the claims of a lane begin.
//!
//! What was claimed leaves its entry in the index of the queue until it is removed: for as long as
//! any transaction might still see it (a report, a dump), and for some time after. A claim that
//! begins at the front of its lane walks over all that was claimed since. So this process remembers
//! up to where it has claimed from each lane and begins there.
//!
//! That is a shortcut, not the truth: whatever tells this process that something waits leads back,
//! be it that it queued it itself ([`queued`](Fronts::queued)), that another process says so
//! ([`heard`](Fronts::heard)), or that a look at the queue found it ([`found`](Fronts::found)).

mod front;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{DueLane, Lane};

use self::front::{FRONT, Front};

/// Lanes that are remembered, at most.
const MOST: usize = 4_096;

#[derive(Debug, Default)]
pub(crate) struct Fronts(Mutex<HashMap<Lane, Front>>);

/// Claims under way. Dropped without [`end`](Self::end), nobody knows what they did.
pub(crate) struct Claiming<'a> {
    fronts: &'a Fronts,
    lanes: Vec<(Lane, i64)>,
    /// Due when each lane begins; `None`: at its front.
    pub(crate) since: Vec<Option<DateTime<Utc>>>,
    ended: bool,
}

impl Fronts {
    /// Before a claim from these lanes, each once, and at most this many of each.
    pub(crate) fn claim(&self, lanes: Vec<(Lane, i64)>) -> Claiming<'_> {
        let mut known = self.lock();
        if known.len() + lanes.len() > MOST {
            known.clear();
        }
        let since = lanes.iter().map(|(lane, _)| {
            let front = known.entry(*lane).or_default();
            front.begin();
            front.since()
        });
        let since = since.collect();
        drop(known);
        Claiming {
            fronts: self,
            lanes,
            since,
            ended: false,
        }
    }

    /// Something waits in these lanes, due at these times.
    pub(crate) fn queued(&self, waits: impl IntoIterator<Item = (Lane, DateTime<Utc>)>) {
        let mut known = self.lock();
        for (lane, due) in waits {
            if let Some(front) = known.get_mut(&lane) {
                front.queued(due);
            }
        }
    }

    /// Something waits, in whichever lane.
    pub(crate) fn queued_somewhere(&self, due: DateTime<Utc>) {
        for front in self.lock().values_mut() {
            front.queued(due);
        }
    }

    /// Lanes have these heads.
    pub(crate) fn found(&self, lanes: &[DueLane]) {
        self.queued(lanes.iter().map(|found| (found.lane, found.due)));
    }

    /// Others have queued something in these lanes, due at whatever time.
    pub(crate) fn heard(&self, lanes: &[Lane]) {
        self.queued(lanes.iter().map(|lane| (*lane, FRONT)));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Lane, Front>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Claiming<'_> {
    /// What was claimed at `now` of each lane, and how that was due.
    pub(crate) fn end(
        mut self,
        claimed: impl IntoIterator<Item = (Lane, DateTime<Utc>)>,
        now: DateTime<Utc>,
    ) {
        let mut last: HashMap<Lane, (i64, DateTime<Utc>)> = HashMap::new();
        for (lane, due) in claimed {
            let (count, latest) = last.entry(lane).or_insert((0, due));
            *count += 1;
            *latest = due.max(*latest);
        }
        self.ended = true;
        let mut known = self.fronts.lock();
        for ((lane, most), begun) in self.lanes.iter().zip(&self.since) {
            let Some(front) = known.get_mut(lane) else {
                continue;
            };
            match last.get(lane) {
                Some((count, latest)) if count == most => front.end(*begun, *latest),
                Some(_) => front.end(*begun, now),
                // It is empty, or nothing of it can be claimed now.
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
        for (lane, _) in &self.lanes {
            // It may have claimed nothing, and others have passed over what it held.
            known.remove(lane);
        }
    }
}

#[cfg(test)]
mod tests;
