//! Turns at work, shared fairly among the requests of one network.
//!
//! A network may be one user, an office behind one address, or everybody behind a proxy. So callers
//! take turns, however many requests each sends. A caller who has some turns gets another only
//! while three times as many are free: a single user has a quarter of them, and a caller who has
//! none finds one. No user has as many as there are processors.

mod board;
mod rotation;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use self::board::Board;
use super::callers::{Caller, Credential};
use super::limits::ServeLimits;

/// A queue of waiting requests. The queues of a caller take turns, too.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Lane {
    pub caller: Caller,
    /// Separates new users: one does not wait behind the many requests of another whose credentials
    /// have not been checked yet.
    pub credential: Option<Credential>,
    /// Whether the whole request is here: such a request does not wait behind those whose clients
    /// are slow.
    pub whole: bool,
}

/// The turns of one network.
#[derive(Clone, Debug)]
pub(super) struct Turns(Arc<Mutex<Board>>);

impl Turns {
    /// Creates the turns of a network. When too many requests wait, the last of the longest queue
    /// leaves.
    pub(super) fn new(limits: &ServeLimits) -> Self {
        Self(Arc::new(Mutex::new(Board::new(limits))))
    }

    /// Waits for a turn; `None` if too many wait and this one had to leave.
    pub(super) async fn take(&self, lane: Lane) -> Option<Turn> {
        let (told, heard) = oneshot::channel();
        let mut waiting = Waiting {
            turns: self,
            lane,
            number: self.board().enter(lane, told),
            heard,
        };
        (&mut waiting.heard).await.ok()?;
        Some(Turn(Claim {
            turns: self.clone(),
            caller: lane.caller,
        }))
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that waits; it leaves when it is dropped.
struct Waiting<'a> {
    turns: &'a Turns,
    lane: Lane,
    number: u64,
    heard: oneshot::Receiver<()>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut board = self.turns.board();
        board.leave(self.lane, self.number);
        // The turn was given, but this request does not take it any more.
        if self.heard.try_recv().is_ok() {
            board.give_back(self.lane.caller);
        }
    }
}

/// A turn; returned when it is dropped.
#[derive(Debug)]
pub(super) struct Turn(Claim);

impl Turn {
    pub(super) fn claim(&self) -> &Claim {
        &self.0
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.turns.board().give_back(self.0.caller);
    }
}

/// The identity of a turn, with which others can ask whether it is wanted.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    turns: Turns,
    caller: Caller,
}

impl Claim {
    /// Returns whether another request waits for this turn, of the same caller or of one who has
    /// fewer.
    pub(super) fn is_wanted(&self) -> bool {
        self.turns.board().is_wanted(self.caller)
    }
}
