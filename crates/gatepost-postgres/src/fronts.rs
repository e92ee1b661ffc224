//! Where the claims of a lane begin.
//!
//! What was claimed leaves its entry in the index of the queue for as long as any transaction might
//! still see it. Beside one that is open for long (a report, a dump) a claim that begins at the
//! front of its lane walks over all that was claimed since. So this process remembers up to where
//! it has claimed from each busy lane and begins there.
//!
//! That is a shortcut, not the truth: what this process queues itself leads back at once
//! ([`queued`](Fronts::queued)), what others queue behind that point is found by a look at the
//! whole lane now and then, and by whatever else names the lane ([`found`](Fronts::found)).

mod front;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{DueLane, Lane};
use tokio::time::Instant;

use self::front::Front;

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
    whole: Option<Lane>,
    began: Instant,
    ended: bool,
}

impl Fronts {
    /// Before a claim from these lanes, each once, and at most this many of each. No more than one
    /// of those that are busy is looked at as a whole.
    pub(crate) fn claim(&self, lanes: Vec<(Lane, i64)>) -> Claiming<'_> {
        let began = Instant::now();
        let mut fronts = self.lock();
        if fronts.len() + lanes.len() > MOST {
            fronts.retain(|_, front| front.is_busy());
            if fronts.len() + lanes.len() > MOST {
                fronts.clear();
            }
        }
        let mut whole = None;
        let mut since = Vec::with_capacity(lanes.len());
        for (lane, _) in &lanes {
            let front = fronts.entry(*lane).or_insert_with(|| Front::new(began));
            front.begin();
            if whole.is_none() && front.is_stale(began) {
                whole = Some(*lane);
                front.looked(began);
                since.push(None);
            } else {
                since.push(front.since());
            }
        }
        drop(fronts);
        Claiming {
            fronts: self,
            lanes,
            since,
            whole,
            began,
            ended: false,
        }
    }

    /// Something waits in these lanes, due at these times.
    pub(crate) fn queued(&self, waits: impl IntoIterator<Item = (Lane, DateTime<Utc>)>) {
        let mut fronts = self.lock();
        for (lane, due) in waits {
            if let Some(front) = fronts.get_mut(&lane) {
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

    /// Where these lanes begin; one that is to be looked at as a whole at its front.
    pub(crate) fn of(&self, lanes: &[Lane]) -> Vec<Option<DateTime<Utc>>> {
        let (mut fronts, now) = (self.lock(), Instant::now());
        let since = lanes.iter().map(|lane| {
            let front = fronts.get_mut(lane)?;
            if front.is_stale(now) {
                front.looked(now);
                return None;
            }
            front.since()
        });
        since.collect()
    }

    /// The busy lanes, and where they begin.
    pub(crate) fn busy(&self) -> (Vec<Lane>, Vec<DateTime<Utc>>) {
        let fronts = self.lock();
        let busy = fronts
            .iter()
            .map(|(lane, front)| Some((*lane, front.since()?)));
        busy.flatten().unzip()
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
        let mut fronts = self.fronts.lock();
        for ((lane, most), begun) in self.lanes.iter().zip(&self.since) {
            let Some(front) = fronts.get_mut(lane) else {
                continue;
            };
            match last.get(lane) {
                Some((count, latest)) if count == most => front.end(*count, *begun, *latest),
                Some((count, _)) => front.end(*count, *begun, now),
                // It is empty, or nothing of it can be claimed now.
                None => front.end_in_vain(),
            }
            if self.whole == Some(*lane) {
                front.rests(self.began.elapsed());
            }
        }
    }
}

impl Drop for Claiming<'_> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let mut fronts = self.fronts.lock();
        for (lane, _) in &self.lanes {
            // It may have claimed nothing, and others have passed over what it held.
            fronts.remove(lane);
        }
    }
}

#[cfg(test)]
mod tests;
