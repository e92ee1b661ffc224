//! The lanes that have something to send: those whose turn it is, and those that stepped aside
//! until what they wait for changes. Grows with the number of such lanes, not with what waits in
//! them, and not beyond a bound: then lanes that wait are forgotten, to be found again later.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{DueLane, Lane, LaneClass};
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

use super::entry::{Baton, Entry, Spot};
use super::line::Line;
use super::parked::Parked;
use super::room::{Trial, Wait};
use super::turns::Turns;

/// Lanes that are remembered at most: about 100 MB.
pub(super) const MOST: usize = 200_000;
/// This part of them is forgotten at a time.
const FORGOTTEN: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Board {
    lanes: HashMap<Lane, Entry>,
    ready: Turns,
    waiting: HashMap<Wait, Parked>,
    until: BTreeSet<(Instant, Lane)>,
    /// Of those that wait for room, those that may be tried.
    line: Line,
    /// Lanes that wait.
    parked: usize,
    calls: u64,
    /// There are lanes that were forgotten.
    forgot: bool,
}

impl Board {
    pub(super) fn has(&self, lane: Lane) -> bool {
        self.lanes.contains_key(&lane)
    }

    /// What this lane waits for.
    pub(super) fn wait_of(&self, lane: Lane) -> Option<&Wait> {
        match &self.lanes.get(&lane)?.spot {
            Spot::Waiting(wait) => Some(wait),
            Spot::Ready | Spot::Out => None,
        }
    }

    /// When what is first in this lane was due, or earlier.
    pub(super) fn head(&self, lane: Lane) -> Option<DateTime<Utc>> {
        self.lanes.get(&lane).map(|entry| entry.due.due)
    }

    /// What was due in this lane until then is not in it any more.
    pub(super) fn claimed(&mut self, lane: Lane, due: DateTime<Utc>) {
        if let Some(entry) = self.lanes.get_mut(&lane) {
            entry.due.due = entry.due.due.max(due);
        }
    }

    pub(super) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    pub(super) fn ready_count(&self) -> usize {
        self.ready.len()
    }

    pub(super) fn has_waiting(&self, wait: &Wait) -> bool {
        self.waiting.contains_key(wait)
    }

    /// When the first of those that wait for a time is ready.
    pub(super) fn next_time(&self) -> Option<Instant> {
        self.until.first().map(|(time, _)| *time)
    }

    /// Something was added to this lane. True: it is known, and that is noted.
    pub(super) fn touch(&mut self, lane: Lane) -> bool {
        self.calls += 1;
        let call = self.calls;
        let entry = self.lanes.get_mut(&lane);
        entry.map(|entry| entry.call = call).is_some()
    }

    /// Whether there is room for no other lane.
    pub(super) fn is_full(&self) -> bool {
        self.lanes.len() >= MOST
    }

    /// Makes room: forgets some of the lanes that wait, and says which. While but few wait, none:
    /// then lanes that come are forgotten, and those that are here get on.
    pub(super) fn forget_some(&mut self) -> Vec<Lane> {
        self.forgot = true;
        let some = MOST / FORGOTTEN;
        if self.parked < some {
            return Vec::new();
        }
        let parked = self.lanes.iter().filter(|(_, entry)| entry.waits());
        let lanes: Vec<Lane> = parked.map(|(lane, _)| *lane).take(some).collect();
        lanes.iter().for_each(|lane| self.forget(*lane));
        lanes
    }

    /// Forgets those that wait for this.
    pub(super) fn forget_all(&mut self, wait: &Wait) {
        let mut parked = self.waiting.remove(wait).unwrap_or_default();
        while let Some(lane) = parked.next() {
            self.forget(lane);
        }
    }

    fn forget(&mut self, lane: Lane) {
        self.pass_on(lane);
        self.unlink(lane);
        self.lanes.remove(&lane);
    }

    /// Whether what was forgotten is to be found again: there is much room by now. Once.
    pub(super) fn has_room_again(&mut self) -> bool {
        let has_room = self.lanes.len() < MOST / 2;
        has_room && std::mem::take(&mut self.forgot)
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
                trial: Some(Trial::Fresh),
                batons: Vec::new(),
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

    /// Whether the lane may be tried at this turn.
    pub(super) fn trial(&self, lane: Lane) -> Option<Trial> {
        self.lanes.get(&lane)?.trial
    }

    /// A lane that waits for room may be tried in its turn.
    pub(super) fn line_up(&mut self, lane: Lane) {
        if let Some(entry) = self.lanes.get(&lane).filter(|entry| entry.waits()) {
            self.line.insert(entry.due.place, entry.due.owner, lane);
        }
    }

    /// Whether lanes wait for that turn.
    pub(super) fn has_line(&self) -> bool {
        !self.line.is_empty()
    }

    /// At most this number of them are ready, to be tried.
    pub(super) fn offer_trials(&mut self, most: usize) {
        for _ in 0..most {
            let Some(lane) = self.line.next() else {
                return;
            };
            self.unlink(lane);
            if let Some(entry) = self.lanes.get_mut(&lane) {
                entry.trial = Some(Trial::Waited);
            }
            self.put(lane, Spot::Ready);
        }
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

    /// As [`next`](Self::next), of those that wait for this.
    pub(super) fn next_of(&mut self, wait: &Wait) -> Option<(DueLane, u64)> {
        let lane = self.next_parked(wait)?;
        let entry = self.lanes.get_mut(&lane)?;
        entry.spot = Spot::Out;
        Some((entry.due, entry.call))
    }

    /// It waits.
    pub(super) fn wait(&mut self, lane: Lane, wait: Wait) {
        let Some(entry) = self.lanes.get_mut(&lane) else {
            return;
        };
        if wait != Wait::Read {
            entry.trial = None;
        }
        // Of what is full there is nothing to offer.
        entry.batons.retain(|baton| baton.room != wait);
        let goes_on = |baton: &mut Baton| baton.goes_on(&wait);
        let passed: Vec<Baton> = entry.batons.extract_if(.., goes_on).collect();
        self.put(lane, Spot::Waiting(wait));
        for Baton { room, hops } in passed {
            self.wake_with(&room, hops + 1);
        }
    }

    /// It is ready again, whatever it waited for, or got what it wanted.
    pub(super) fn again(&mut self, lane: Lane) {
        if self.unlink(lane).is_some() {
            self.put(lane, Spot::Ready);
            self.pass_on(lane);
        }
    }

    /// There is nothing more in it, unless it was made ready again since `call`. True: it is gone.
    pub(super) fn done(&mut self, lane: Lane, call: u64) -> bool {
        let gone = self
            .lanes
            .get(&lane)
            .is_some_and(|entry| entry.call == call);
        self.pass_on(lane);
        self.unlink(lane);
        if gone {
            self.lanes.remove(&lane);
        } else {
            self.put(lane, Spot::Ready);
        }
        gone
    }

    /// The next lanes are notified of the room of which this one was.
    fn pass_on(&mut self, lane: Lane) {
        let entry = self.lanes.get_mut(&lane);
        let batons = entry.map(|entry| std::mem::take(&mut entry.batons));
        for baton in batons.unwrap_or_default() {
            self.wake(&baton.room);
        }
    }

    /// One of those that wait for this is ready. True: there was one.
    pub(super) fn wake(&mut self, wait: &Wait) -> bool {
        self.wake_with(wait, 0)
    }

    fn wake_with(&mut self, wait: &Wait, hops: u32) -> bool {
        let Some(lane) = self.next_parked(wait) else {
            return false;
        };
        if let Some(entry) = self.lanes.get_mut(&lane) {
            let room = wait.clone();
            entry.batons.push(Baton { room, hops });
        }
        self.put(lane, Spot::Ready);
        true
    }

    /// Takes the next of those that wait for this.
    fn next_parked(&mut self, wait: &Wait) -> Option<Lane> {
        let parked = self.waiting.get_mut(wait)?;
        let lane = parked.next()?;
        if parked.is_empty() {
            self.waiting.remove(wait);
        }
        self.parked = self.parked.saturating_sub(1);
        Some(lane)
    }

    /// All that wait for this are ready.
    pub(super) fn wake_all(&mut self, wait: &Wait) {
        while let Some(lane) = self.next_parked(wait) {
            self.put(lane, Spot::Ready);
        }
    }

    /// What they wait for may not hold them back any more.
    pub(super) fn wake_all_of(&mut self, webhook: WebhookId) {
        for class in LaneClass::ALL {
            let lane = Lane { webhook, class };
            if self.lanes.get(&lane).is_some_and(Entry::waits) {
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

    #[cfg(test)]
    pub(super) fn ready_places(&self) -> Vec<gatepost_ids::Place> {
        self.ready.places()
    }

    /// Takes a lane from where it is.
    fn unlink(&mut self, lane: Lane) -> Option<Spot> {
        let entry = self.lanes.get_mut(&lane)?;
        let spot = std::mem::replace(&mut entry.spot, Spot::Out);
        if matches!(spot, Spot::Waiting(_)) {
            self.parked = self.parked.saturating_sub(1);
        }
        let (place, owner) = (entry.due.place, entry.due.owner);
        self.line.remove(place, owner, lane);
        match &spot {
            Spot::Out => {}
            Spot::Ready => self.ready.remove(place, owner, lane),
            Spot::Waiting(Wait::Until(time)) => drop(self.until.remove(&(*time, lane))),
            Spot::Waiting(wait) => {
                if let Some(parked) = self.waiting.get_mut(wait) {
                    parked.remove(place, owner, lane);
                    if parked.is_empty() {
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
        self.line.remove(place, owner, lane);
        match &spot {
            Spot::Out => {}
            Spot::Ready => self.ready.insert(place, owner, lane),
            Spot::Waiting(Wait::Until(time)) => drop(self.until.insert((*time, lane))),
            Spot::Waiting(wait) => {
                let parked = self.waiting.entry(wait.clone()).or_default();
                parked.insert(place, owner, lane);
            }
        }
        self.parked += usize::from(matches!(spot, Spot::Waiting(_)));
        entry.spot = spot;
    }
}
