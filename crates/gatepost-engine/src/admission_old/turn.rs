//! A lane has its turn: it is used, or the lane steps aside.

use std::sync::Arc;

use gatepost_storage::webhooks::DueLane;
use tokio::time::Instant;

use super::lanes::Lanes;
use super::room::{Trial, Wait};

/// A lane whose turn it is. Dropped, it is ready again, behind the others.
#[derive(Debug)]
pub(crate) struct Turn {
    lanes: Arc<Lanes>,
    pub(crate) due: DueLane,
    call: u64,
    is_over: bool,
}

impl Lanes {
    /// The lane whose turn it is.
    pub(crate) fn next(self: &Arc<Self>, now: Instant) -> Option<Turn> {
        let next = self.lock().board.next(now)?;
        Some(Turn::new(self.clone(), next))
    }

    /// A lane whose webhook is to be read.
    pub(crate) fn next_unread(self: &Arc<Self>) -> Option<Turn> {
        let next = self.lock().board.next_of(&Wait::Read)?;
        Some(Turn::new(self.clone(), next))
    }
}

impl Turn {
    fn new(lanes: Arc<Lanes>, (due, call): (DueLane, u64)) -> Self {
        Self {
            lanes,
            due,
            call,
            is_over: false,
        }
    }

    /// It steps aside until that changes.
    pub(crate) fn wait(mut self, wait: Wait) {
        self.is_over = true;
        self.lanes.park(self.due.lane, wait);
    }

    /// Whether the lane may be tried where there is no other room.
    pub(crate) fn trial(&self) -> Option<Trial> {
        self.lanes.lock().board.trial(self.due.lane)
    }

    /// There is nothing more in it, unless something was added in between.
    pub(crate) fn done(mut self) {
        self.is_over = true;
        let mut state = self.lanes.lock();
        if state.board.done(self.due.lane, self.call) {
            state.backlogs.end(self.due.lane);
            let has_room = state.board.has_room_again();
            drop(state);
            if has_room {
                self.lanes.inquiries.sweep();
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.is_over {
            self.lanes.lock().board.again(self.due.lane);
        }
    }
}
