//! The lanes that have something to send: those whose turn it is, and those that stepped aside
//! until what they wait for changes. Grows with the number of such lanes, not with what waits in
//! them.

use std::collections::{BTreeSet, HashMap};

use gatepost_storage::webhooks::{DueLane, Lane, LaneClass};
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

use super::room::{Room, Wait};
use super::turns::Turns;

/// How often room that becomes free is offered at once to lanes that turn out to wait for something
/// wider.
const HOPS: u32 = 16;

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
    /// It has not waited for room yet.
    is_new: bool,
    /// What it was woken by and has not used yet.
    batons: Vec<Baton>,
}

/// There is room, of which one lane was notified for all that wait for it. If it does not use the
/// room, another lane must be notified, or the room would stay empty.
#[derive(Clone, Debug)]
struct Baton {
    room: Wait,
    /// How often it was passed on since the room became free.
    hops: u32,
}

impl Baton {
    /// Whether the next lane is notified at once, although this one now waits for something else.
    /// If not, this one keeps it until it gets what it waits for: then the next is notified.
    ///
    /// A lane that now waits for something narrower may be the only one to do so. What is free for
    /// one tenant only is that tenant's matter. Otherwise lanes could go back and forth between two
    /// rooms in their thousands, each time that one of both is full: so that has a limit.
    fn goes_on(&self, wait: &Wait) -> bool {
        if wait.is_narrower(&self.room) {
            return true;
        }
        let others_too = *wait == Wait::Room(Room::All);
        !others_too && !self.room.is_of_one() && self.hops < HOPS
    }
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
                is_new: true,
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

    /// Whether the lane has not waited for room yet.
    pub(super) fn is_new(&self, lane: Lane) -> bool {
        self.lanes.get(&lane).is_some_and(|entry| entry.is_new)
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
        let turns = self.waiting.get_mut(wait)?;
        let lane = turns.next()?;
        if turns.is_empty() {
            self.waiting.remove(wait);
        }
        let entry = self.lanes.get_mut(&lane)?;
        entry.spot = Spot::Out;
        Some((entry.due, entry.call))
    }

    /// It waits.
    pub(super) fn wait(&mut self, lane: Lane, wait: Wait) {
        let Some(entry) = self.lanes.get_mut(&lane) else {
            return;
        };
        entry.is_new &= wait == Wait::Read;
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
        let Some(lane) = self.waiting.get_mut(wait).and_then(Turns::next) else {
            return false;
        };
        if self.waiting.get(wait).is_some_and(Turns::is_empty) {
            self.waiting.remove(wait);
        }
        if let Some(entry) = self.lanes.get_mut(&lane) {
            let room = wait.clone();
            entry.batons.push(Baton { room, hops });
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
