//! What is remembered of a lane.

use gatepost_storage::webhooks::DueLane;

use super::room::{Room, Trial, Wait};

/// How often room that becomes free is offered at once to lanes that turn out to wait for something
/// wider.
const HOPS: u32 = 16;

/// Where a lane is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Spot {
    Ready,
    Waiting(Wait),
    /// The dispatcher has it.
    Out,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) due: DueLane,
    /// The last call that made it ready.
    pub(super) call: u64,
    pub(super) spot: Spot,
    /// Whether it may be tried at its next turn: it has not waited for room yet, or for long.
    pub(super) trial: Option<Trial>,
    /// What it was woken by and has not used yet.
    pub(super) batons: Vec<Baton>,
}

impl Entry {
    pub(super) fn waits(&self) -> bool {
        matches!(self.spot, Spot::Waiting(_))
    }
}

/// There is room, of which one lane was notified for all that wait for it. If it does not use the
/// room, another lane must be notified, or the room would stay empty.
#[derive(Clone, Debug)]
pub(super) struct Baton {
    pub(super) room: Wait,
    /// How often it was passed on since the room became free.
    pub(super) hops: u32,
}

impl Baton {
    /// Whether the next lane is notified at once, although this one now waits for something else.
    /// If not, this one keeps it until it gets what it waits for: then the next is notified.
    ///
    /// A lane that now waits for something narrower may be the only one to do so. What is free for
    /// one tenant only is that tenant's matter, unless the lane now waits for others of its class:
    /// those of other classes need not. Otherwise lanes could go back and forth between two rooms
    /// in their thousands, each time that one of both is full: so that has a limit. Those that are
    /// sent alone are few, no more than were in flight when their claims were lost.
    pub(super) fn goes_on(&self, wait: &Wait) -> bool {
        if wait.is_narrower(&self.room) || *wait == Wait::Room(Room::Alone) {
            return true;
        }
        let others_too = *wait == Wait::Room(Room::All);
        let is_its_matter = self.room.is_of_one() && !wait.is_of_class();
        !others_too && !is_its_matter && self.hops < HOPS
    }
}
