//! The callers that have a turn, those that wait, and which is next.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use tokio::sync::oneshot::Sender;

use super::Lane;
use super::rotation::Rotation;
use crate::serve::callers::Caller;
use crate::serve::limits::ServeLimits;

/// A caller gets another turn while more are free than this many times those it has.
const FREE_TO_HELD: usize = 3;

#[derive(Debug)]
pub(super) struct Board {
    free: usize,
    most_per_user: usize,
    waiting: usize,
    most_waiting: usize,
    /// The next number of a request.
    next: u64,
    /// The callers that have a turn or wait for one; no others are kept.
    callers: BTreeMap<Caller, Requests>,
    /// The callers that wait, including those that may not be next yet.
    rotation: Rotation<Caller>,
}

/// The requests of one caller.
#[derive(Debug, Default)]
struct Requests {
    /// How many of them have a turn.
    held: usize,
    /// The waiting requests of each queue, by number, in order. No queue is empty.
    waiting: BTreeMap<Lane, BTreeMap<u64, Sender<()>>>,
    rotation: Rotation<Lane>,
}

impl Board {
    pub(super) fn new(limits: &ServeLimits) -> Self {
        Self {
            free: limits.requests_per_network,
            most_per_user: limits.requests_per_user,
            waiting: 0,
            most_waiting: limits.waiting_per_network,
            next: 0,
            callers: BTreeMap::new(),
            rotation: Rotation::default(),
        }
    }

    /// Adds a request and returns its number. It is notified when it has its turn; its sender is
    /// dropped if too many wait.
    pub(super) fn enter(&mut self, lane: Lane, told: Sender<()>) -> u64 {
        self.next += 1;
        let number = self.next;
        let requests = self.callers.entry(lane.caller).or_default();
        requests
            .waiting
            .entry(lane)
            .or_default()
            .insert(number, told);
        requests.rotation.enter(lane);
        self.rotation.enter(lane.caller);
        self.waiting += 1;
        self.serve();
        if self.waiting > self.most_waiting {
            self.shorten();
        }
        number
    }

    /// Removes a request from its queue; returns its sender if it waited.
    pub(super) fn leave(&mut self, lane: Lane, number: u64) -> Option<Sender<()>> {
        let requests = self.callers.get_mut(&lane.caller)?;
        let waiting = requests.waiting.get_mut(&lane)?;
        let told = waiting.remove(&number)?;
        self.waiting -= 1;
        if waiting.is_empty() {
            requests.waiting.remove(&lane);
            requests.rotation.leave(&lane);
        }
        self.tidy(lane.caller);
        Some(told)
    }

    pub(super) fn give_back(&mut self, caller: Caller) {
        if let Some(requests) = self.callers.get_mut(&caller) {
            requests.held -= 1;
            self.free += 1;
        }
        self.tidy(caller);
        self.serve();
    }

    /// Returns whether a waiting request could use a turn of this caller: one of the same caller,
    /// or of a caller who has fewer.
    pub(super) fn is_wanted(&self, caller: Caller) -> bool {
        let held = self.held(caller);
        self.rotation.iter().any(|other| {
            let has = match *other == caller {
                true => held.saturating_sub(1),
                false => self.held(*other),
            };
            has < held && self.may_have_another(has, self.free + 1)
        })
    }

    /// Gives free turns to the next requests.
    fn serve(&mut self) {
        while let Some((lane, number)) = self.first() {
            if let Some(requests) = self.callers.get_mut(&lane.caller) {
                requests.rotation.had(&lane);
            }
            self.rotation.had(&lane.caller);
            let told = self.leave(lane, number);
            if told.is_some_and(|told| told.send(()).is_ok()) {
                self.callers.entry(lane.caller).or_default().held += 1;
                self.free -= 1;
            }
        }
    }

    /// Returns the next request that may have a turn.
    fn first(&self) -> Option<(Lane, u64)> {
        let may_have = |caller: &&Caller| self.may_have_another(self.held(**caller), self.free);
        let caller = self.rotation.iter().find(may_have)?;
        let requests = self.callers.get(caller)?;
        let lane = requests.rotation.iter().next()?;
        let (number, _) = requests.waiting.get(lane)?.first_key_value()?;
        Some((*lane, *number))
    }

    /// Removes the last request of the longest queue.
    fn shorten(&mut self) {
        let lanes = self.callers.values().flat_map(|requests| &requests.waiting);
        let longest = lanes.max_by_key(|(lane, waiting)| (waiting.len(), Reverse(**lane)));
        if let Some((lane, waiting)) = longest
            && let (lane, Some((number, _))) = (*lane, waiting.last_key_value())
        {
            self.leave(lane, *number);
        }
    }

    /// Removes a caller that has no turn and waits for none.
    fn tidy(&mut self, caller: Caller) {
        if let Some(requests) = self.callers.get(&caller)
            && requests.waiting.is_empty()
        {
            self.rotation.leave(&caller);
            if requests.held == 0 {
                self.callers.remove(&caller);
            }
        }
    }

    fn may_have_another(&self, held: usize, free: usize) -> bool {
        held < self.most_per_user && held * FREE_TO_HELD < free
    }

    fn held(&self, caller: Caller) -> usize {
        self.callers
            .get(&caller)
            .map_or(0, |requests| requests.held)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.callers.is_empty() && self.rotation.iter().next().is_none() && self.waiting == 0
    }
}
