//! What a connection is doing, and until when it may.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep_until, timeout};

use super::connections::Place;
use super::limits::ServeLimits;

/// What a client must read of a response within the limit for stalled ones; less is none.
pub(super) const PIECE: usize = 16 * 1024;

/// One connection. hyper's own header timeout counts an idle HTTP/1 connection as one that is slow
/// with its head, knows no body and no reader; so the times are kept here, for both versions.
#[derive(Debug)]
pub(super) struct Activity {
    place: Place,
    limits: Arc<ServeLimits>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    stage: Stage,
    /// Over HTTP/2 bytes are no sign of a request: pings are answered, too.
    multiplexed: bool,
    /// Requests whose responses have not been handed over as a whole.
    open: usize,
    numbered: u64,
    /// Responses whose last piece the client has not taken, and since when.
    handed: BTreeMap<u64, Instant>,
    /// Since when bytes wait for the client, and how many it must take.
    waiting: Option<(Instant, usize)>,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Header(Instant),
    Idle(Instant),
    Working,
}

impl Activity {
    pub(super) fn new(place: Place, limits: Arc<ServeLimits>) -> Arc<Self> {
        let state = State {
            stage: Stage::Header(Instant::now()),
            multiplexed: false,
            open: 0,
            numbered: 0,
            handed: BTreeMap::new(),
            waiting: None,
        };
        Arc::new(Self {
            place,
            limits,
            state: Mutex::new(state),
        })
    }

    /// Ready when the connection has to end: it took too long, or makes room for another.
    pub(super) async fn over(&self) {
        tokio::select! {
            () = self.overdue() => {}
            () = self.place.must_leave() => {}
        }
    }

    /// A time that begins later than a look ends after the next one: looks need not be woken.
    async fn overdue(&self) {
        loop {
            let now = Instant::now();
            let deadline = self.state().deadline(&self.limits);
            if deadline.is_some_and(|deadline| deadline <= now) {
                return;
            }
            let next = now + self.limits.shortest();
            sleep_until(deadline.map_or(next, |deadline| deadline.min(next))).await;
        }
    }

    /// The client sent something.
    pub(super) fn heard(&self) {
        let mut state = self.state();
        if matches!(state.stage, Stage::Idle(_)) && !state.multiplexed {
            state.stage = Stage::Header(Instant::now());
        }
    }

    /// Bytes wait for the client to read.
    pub(super) fn waits(&self) {
        self.state()
            .waiting
            .get_or_insert_with(|| (Instant::now(), PIECE));
    }

    /// The client, or the system on its behalf, took this number of bytes.
    pub(super) fn took(&self, bytes: usize) {
        let mut state = self.state();
        state.waiting = match state.waiting {
            Some((since, left)) if left > bytes => Some((since, left - bytes)),
            _ => None,
        };
    }

    /// No byte waits.
    pub(super) fn took_all(&self) {
        self.state().waiting = None;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn deadline(&self, limits: &ServeLimits) -> Option<Instant> {
        let stage = match self.stage {
            Stage::Header(since) => Some(since + limits.header),
            // What is still being read is no idleness.
            Stage::Idle(since) if self.waiting.is_none() => Some(since + limits.idle),
            _ => None,
        };
        let unread = self.waiting.map(|(since, _)| since);
        let unread = self.handed.values().copied().chain(unread).min();
        let stalled = unread.map(|since| since + limits.stalled);
        stage.into_iter().chain(stalled).min()
    }
}

/// A request, from its head until its response has been handed over.
#[derive(Debug)]
pub(super) struct OpenRequest {
    activity: Arc<Activity>,
    number: u64,
    turn: Option<OwnedSemaphorePermit>,
}

impl OpenRequest {
    pub(super) fn new(activity: &Arc<Activity>, multiplexed: bool) -> Self {
        let mut state = activity.state();
        state.multiplexed = multiplexed;
        state.stage = Stage::Working;
        state.open += 1;
        state.numbered += 1;
        if state.open == 1 {
            activity.place.busy();
        }
        Self {
            activity: activity.clone(),
            number: state.numbered,
            turn: None,
        }
    }

    /// Waits until this network has a request less at work; false if that took too long.
    pub(super) async fn turn(&mut self) -> bool {
        let turns = self.activity.place.turns.clone();
        let turn = timeout(self.body_limit(), turns.acquire_owned()).await;
        self.turn = turn.ok().and_then(Result::ok);
        self.turn.is_some()
    }

    pub(super) fn body_limit(&self) -> Duration {
        self.activity.limits.body
    }

    /// A piece of the response waits for the client.
    pub(super) fn handed(&self) {
        let mut state = self.activity.state();
        state.handed.insert(self.number, Instant::now());
    }

    /// The client took the last piece.
    pub(super) fn taken(&self) {
        self.activity.state().handed.remove(&self.number);
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let mut state = self.activity.state();
        state.handed.remove(&self.number);
        state.open -= 1;
        if state.open == 0 {
            state.stage = Stage::Idle(Instant::now());
            self.activity.place.idle();
        }
    }
}
