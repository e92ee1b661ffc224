//! Where the claims of a lane begin.
//!
//! What was claimed leaves its entry in the index of the queue for as long as any transaction might
//! still see it. Beside one that is open for long (a report, a dump) a claim that begins at the
//! front of its lane walks over all that was claimed since. So this process remembers up to where
//! it has claimed from each busy lane and begins there.
//!
//! That is a shortcut, not the truth: what this process queues itself leads back at once
//! ([`queued`](Fronts::queued)), what others queue behind that point is found by a look at the
//! whole lane now and then, and by whatever else names the lane ([`found`](Fronts::found)). Such
//! looks take a tenth of the time at most, however many lanes there are.

mod front;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{DueLane, Lane};
use tokio::time::Instant;

use self::front::Front;

/// Lanes that are remembered, at most.
const MOST: usize = 4_096;
/// How many times longer than a look at a whole lane took there is no other.
const REST: u32 = 10;

#[derive(Debug, Default)]
pub(crate) struct Fronts(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    lanes: HashMap<Lane, Front>,
    /// Until when there is no look at a whole lane.
    rest: Option<Instant>,
}

/// A look at a whole lane. Dropped when it ends.
pub(crate) struct Look<'a> {
    fronts: &'a Fronts,
    began: Instant,
}

/// Claims under way. Dropped without [`end`](Self::end), nobody knows what they did.
pub(crate) struct Claiming<'a> {
    fronts: &'a Fronts,
    lanes: Vec<(Lane, i64)>,
    /// Due when each lane begins; `None`: at its front.
    pub(crate) since: Vec<Option<DateTime<Utc>>>,
    ended: bool,
    _look: Option<Look<'a>>,
}

impl Fronts {
    /// Before a claim from these lanes, each once, and at most this many of each. No more than one
    /// of those that are busy is looked at as a whole.
    pub(crate) fn claim(&self, lanes: Vec<(Lane, i64)>) -> Claiming<'_> {
        let mut known = self.lock();
        known.make_room(lanes.len());
        let began = Instant::now();
        for (lane, _) in &lanes {
            let front = known.lanes.entry(*lane);
            front.or_insert_with(|| Front::new(began)).begin();
        }
        drop(known);
        let (since, look) = self.begin(lanes.iter().map(|(lane, _)| lane), Front::claimed_to);
        Claiming {
            fronts: self,
            lanes,
            since,
            ended: false,
            _look: look,
        }
    }

    /// Something waits in these lanes, due at these times.
    pub(crate) fn queued(&self, waits: impl IntoIterator<Item = (Lane, DateTime<Utc>)>) {
        let mut known = self.lock();
        for (lane, due) in waits {
            if let Some(front) = known.lanes.get_mut(&lane) {
                front.queued(due);
            }
        }
    }

    /// Something waits, in whichever lane.
    pub(crate) fn queued_somewhere(&self, due: DateTime<Utc>) {
        for front in self.lock().lanes.values_mut() {
            front.queued(due);
        }
    }

    /// Lanes have these heads.
    pub(crate) fn found(&self, lanes: &[DueLane]) {
        self.queued(lanes.iter().map(|found| (found.lane, found.due)));
    }

    /// Others have queued something in these lanes, due at whatever time.
    pub(crate) fn heard(&self, lanes: &[Lane]) {
        let mut known = self.lock();
        for lane in lanes {
            if let Some(front) = known.lanes.get_mut(lane) {
                front.heard();
            }
        }
    }

    /// Where a look at these lanes begins, or `None` for their fronts; and the look at one of the
    /// busy ones that begins at its front too. Of those that are not busy all do: others may have
    /// queued before.
    pub(crate) fn of<'l>(
        &self,
        lanes: impl IntoIterator<Item = &'l Lane>,
    ) -> (Vec<Option<DateTime<Utc>>>, Option<Look<'_>>) {
        self.begin(lanes, Front::since)
    }

    fn begin<'l>(
        &self,
        lanes: impl IntoIterator<Item = &'l Lane>,
        since: impl Fn(&Front) -> Option<DateTime<Utc>>,
    ) -> (Vec<Option<DateTime<Utc>>>, Option<Look<'_>>) {
        let (mut known, now) = (self.lock(), Instant::now());
        let mut may_look = known.rest.is_none_or(|rest| rest <= now);
        let mut look = None;
        let begins = lanes.into_iter().map(|lane| {
            let front = known.lanes.get_mut(lane)?;
            if may_look && front.is_stale(now) {
                may_look = false;
                front.looked(now);
                look = Some(Look {
                    fronts: self,
                    began: now,
                });
                return None;
            }
            since(front)
        });
        (begins.collect(), look)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn make_room(&mut self, count: usize) {
        if self.lanes.len() + count > MOST {
            self.lanes.retain(|_, front| front.is_busy());
            if self.lanes.len() + count > MOST {
                self.lanes.clear();
            }
        }
    }
}

impl Drop for Look<'_> {
    fn drop(&mut self) {
        let now = Instant::now();
        self.fronts.lock().rest = Some(now + (now - self.began) * REST);
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
            let Some(front) = known.lanes.get_mut(lane) else {
                continue;
            };
            match last.get(lane) {
                Some((count, latest)) if count == most => front.end(*count, *begun, *latest),
                Some((count, _)) => front.end(*count, *begun, now),
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
            known.lanes.remove(lane);
        }
    }
}

#[cfg(test)]
mod tests;
