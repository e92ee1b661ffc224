//! The state of a connection, and how long it may last.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::limits::ServeLimits;

/// One connection. hyper's own header timeout counts an idle HTTP/1 connection as one that is slow
/// with its head, knows no HTTP/2 and no reader; so the times are kept here.
#[derive(Debug)]
pub(super) struct Connection {
    leave: Notify,
    state: Mutex<State>,
}

/// The state of a connection that waits for its client; the first of them ends first for another.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Waiting {
    /// There was no request yet.
    Silent,
    /// The rest of the first request is still to come.
    Receiving,
    /// A request was answered.
    Served,
}

#[derive(Debug)]
struct State {
    waiting: Waiting,
    /// Requests that have no response yet.
    open: usize,
    /// How many of them have their whole bodies.
    working: usize,
    /// Whether a head is being read.
    head: bool,
    /// Whether the connection speaks HTTP/2: its bytes are no sign of a request.
    multiplexed: bool,
    /// The time of the last change, or when the client last read something.
    since: Instant,
}

impl Connection {
    pub(super) fn new() -> Self {
        let state = State {
            waiting: Waiting::Silent,
            open: 0,
            working: 0,
            head: true,
            multiplexed: false,
            since: Instant::now(),
        };
        Self {
            leave: Notify::new(),
            state: Mutex::new(state),
        }
    }

    /// Notes that the client sent something.
    pub(super) fn received(&self) {
        let mut state = self.state();
        if state.open == 0 && !state.head && !state.multiplexed {
            (state.head, state.since) = (true, Instant::now());
        }
    }

    /// Notes that the client, or the system on its behalf, took something.
    pub(super) fn sent(&self) {
        let mut state = self.state();
        if !state.head {
            state.since = Instant::now();
        }
    }

    /// Returns the state if it waits for its client, and since when; `None` while it works.
    pub(super) fn waits(&self) -> Option<(Waiting, Instant)> {
        let state = self.state();
        (state.working == 0).then_some((state.waiting, state.since))
    }

    /// Lets it end for another.
    pub(super) fn leave(&self) {
        self.leave.notify_one();
    }

    /// Completes when the connection must end: it took too long, or ends for another.
    pub(super) async fn over(&self, limits: &ServeLimits) {
        // A time that begins between two checks ends after the second one.
        let every = limits.header.min(limits.idle);
        let overdue = async {
            loop {
                let next = Instant::now() + every;
                match self.deadline(limits) {
                    Some(deadline) if deadline <= Instant::now() => return,
                    Some(deadline) => sleep_until(deadline.min(next)).await,
                    None => sleep_until(next).await,
                }
            }
        };
        tokio::select! {
            () = overdue => {}
            () = self.leave.notified() => {}
        }
    }

    fn deadline(&self, limits: &ServeLimits) -> Option<Instant> {
        let state = self.state();
        let limit = match state.head {
            true => limits.header,
            false => limits.idle,
        };
        (state.open == 0).then(|| state.since + limit)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request, from its head until its response begins.
#[derive(Debug)]
pub(super) struct OpenRequest {
    connection: Arc<Connection>,
    works: bool,
}

impl OpenRequest {
    pub(super) fn new(connection: Arc<Connection>, multiplexed: bool) -> Self {
        let mut state = connection.state();
        state.open += 1;
        (state.head, state.multiplexed) = (false, multiplexed);
        (state.waiting, state.since) = (state.waiting.max(Waiting::Receiving), Instant::now());
        drop(state);
        Self {
            connection,
            works: false,
        }
    }

    /// Notes that its body is here: the connection ends for no other until the response begins.
    pub(super) fn works(&mut self) {
        self.works = true;
        self.connection.state().working += 1;
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let mut state = self.connection.state();
        state.open -= 1;
        state.working -= usize::from(self.works);
        (state.waiting, state.since) = (Waiting::Served, Instant::now());
    }
}
