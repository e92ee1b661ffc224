//! The lanes that have something to send: those whose turn it is, and those that stepped aside
//! until what they wait for changes. Grows with the number of such lanes, not with what waits in
//! them.

use std::collections::{BTreeSet, HashMap};

use gatepost_storage::webhooks::{DueLane, Lane, LaneClass};
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

use super::room::Wait;
use super::turns::Turns;

/// Where a lane is.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Spot {
    Ready,
    Waiting(Wait),
    /// The dispatcher has it.
    Out,
}

#[derive(Debug)]
struct Entry {
    due: DueLane,
    /// The last call that made it ready.
    call: u64,
    spot: Spot,
    /// What became free when it was woken.
    woken_by: Option<Wait>,
}

#[derive(Debug, Default)]
pub(super) struct Board {
    lanes: HashMap<Lane, Entry>,
    ready: Turns,
    waiting: HashMap<Wait, Turns>,
    until: BTreeSet<(Instant, Lane)>,
    calls: u64,
}

impl Board {
    pub(super) fn has(&self, lane: Lane) -> bool {
        self.lanes.contains_key(&lane)
    }

    pub(super) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    pub(super) fn has_waiting(&self, wait: &Wait) -> bool {
        self.waiting.contains_key(wait)
    }

    /// When the first of those that wait for a time is ready.
    pub(super) fn next_time(&self) -> Option<Instant> {
        self.until.first().map(|(time, _)| *time)
    }

    /// There is something in this lane. True: it was not known.
    pub(super) fn add(&mut self, due: DueLane) -> bool {
        self.calls += 1;
        let call = self.calls;
        let Some(entry) = self.lanes.get_mut(&due.lane) else {
            let entry = Entry {
                due,
                call,
                spot: Spot::Out,
                woken_by: None,
            };
            self.lanes.insert(due.lane, entry);
            self.put(due.lane, Spot::Ready);
            return true;
        };
        entry.call = call;
        if entry.due.revision > due.revision {
            return false; // It was read before what is known.
        }
        let before = entry.due;
        let same = (before.owner, before.place) == (due.owner, due.place);
        if same && before.revision == due.revision {
            return false;
        }
        // Another owner's turn, or what it waited for may have been edited away.
        let spot = self.unlink(due.lane);
        if let Some(entry) = self.lanes.get_mut(&due.lane) {
            entry.due = due;
        }
        let out = spot == Some(Spot::Out);
        self.put(due.lane, if out { Spot::Out } else { Spot::Ready });
        false
    }

    /// The lane whose turn it is, and the call that made it ready.
    pub(super) fn next(&mut self, now: Instant) -> Option<(DueLane, u64)> {
        while let Some((time, lane)) = self.until.first().copied() {
            if time > now {
                break;
            }
            self.unlink(lane);
            self.put(lane, Spot::Ready);
        }
        let lane = self.ready.next()?;
        let entry = self.lanes.get_mut(&lane)?;
        entry.spot = Spot::Out;
        Some((entry.due, entry.call))
    }

    /// It waits. Whoever else waits for what it was woken by, and does not need, is woken.
    pub(super) fn wait(&mut self, lane: Lane, wait: Wait) {
        let Some(entry) = self.lanes.get_mut(&lane) else {
            return;
        };
        let woken_by = entry.woken_by.take();
        self.put(lane, Spot::Waiting(wait.clone()));
        if let Some(woken_by) = woken_by.filter(|by| *by != wait) {
            self.wake(&woken_by);
        }
    }

    /// It is ready again.
    pub(super) fn again(&mut self, lane: Lane) {
        if self.unlink(lane).is_some() {
            if let Some(entry) = self.lanes.get_mut(&lane) {
                entry.woken_by = None;
            }
            self.put(lane, Spot::Ready);
        }
    }

    /// There is nothing more in it, unless it was made ready again since `call`. True: it is gone.
    pub(super) fn done(&mut self, lane: Lane, call: u64) -> bool {
        let Some(entry) = self.lanes.get_mut(&lane) else {
            return false;
        };
        let woken_by = entry.woken_by.take();
        let gone = entry.call == call;
        self.unlink(lane);
        if gone {
            self.lanes.remove(&lane);
        } else {
            self.put(lane, Spot::Ready);
        }
        if let Some(woken_by) = woken_by {
            self.wake(&woken_by);
        }
        gone
    }

    /// One of those that wait for this is ready. True: there was one.
    pub(super) fn wake(&mut self, wait: &Wait) -> bool {
        let Some(lane) = self.waiting.get_mut(wait).and_then(Turns::next) else {
            return false;
        };
        if self.waiting.get(wait).is_some_and(Turns::is_empty) {
            self.waiting.remove(wait);
        }
        if let Some(entry) = self.lanes.get_mut(&lane) {
            entry.woken_by = Some(wait.clone());
        }
        self.put(lane, Spot::Ready);
        true
    }

    /// What they wait for may not hold them back any more.
    pub(super) fn wake_all_of(&mut self, webhook: WebhookId) {
        for class in [LaneClass::First, LaneClass::Retry, LaneClass::Alone] {
            let lane = Lane { webhook, class };
            let waits = |entry: &Entry| matches!(entry.spot, Spot::Waiting(_));
            if self.lanes.get(&lane).is_some_and(waits) {
                self.again(lane);
            }
        }
    }

    /// Whoever had them is gone: those that are out are ready again.
    pub(super) fn recover(&mut self) {
        let out = |(lane, entry): (&Lane, &Entry)| (entry.spot == Spot::Out).then_some(*lane);
        let out: Vec<Lane> = self.lanes.iter().filter_map(out).collect();
        out.into_iter().for_each(|lane| self.again(lane));
    }

    /// Whether any lane of the webhook is known.
    pub(super) fn has_any_of(&self, webhook: WebhookId) -> bool {
        let classes = [LaneClass::First, LaneClass::Retry, LaneClass::Alone];
        classes
            .into_iter()
            .any(|class| self.has(Lane { webhook, class }))
    }

    #[cfg(test)]
    pub(super) fn ready_places(&self) -> Vec<gatepost_ids::Place> {
        self.ready.places()
    }

    /// Takes a lane from where it is.
    fn unlink(&mut self, lane: Lane) -> Option<Spot> {
        let entry = self.lanes.get_mut(&lane)?;
        let spot = std::mem::replace(&mut entry.spot, Spot::Out);
        let (place, owner) = (entry.due.place, entry.due.owner);
        match &spot {
            Spot::Out => {}
            Spot::Ready => self.ready.remove(place, owner, lane),
            Spot::Waiting(Wait::Until(time)) => drop(self.until.remove(&(*time, lane))),
            Spot::Waiting(wait) => {
                if let Some(turns) = self.waiting.get_mut(wait) {
                    turns.remove(place, owner, lane);
                    if turns.is_empty() {
                        self.waiting.remove(wait);
                    }
                }
            }
        }
        Some(spot)
    }

    /// Puts a lane that is nowhere.
    fn put(&mut self, lane: Lane, spot: Spot) {
        let Some(entry) = self.lanes.get_mut(&lane) else {
            return;
        };
        let (place, owner): (_, OwnerId) = (entry.due.place, entry.due.owner);
        match &spot {
            Spot::Out => {}
            Spot::Ready => self.ready.insert(place, owner, lane),
            Spot::Waiting(Wait::Until(time)) => drop(self.until.insert((*time, lane))),
            Spot::Waiting(wait) => {
                let turns = self.waiting.entry(wait.clone()).or_default();
                turns.insert(place, owner, lane);
            }
        }
        entry.spot = spot;
    }
}
