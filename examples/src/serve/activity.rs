//! The state of a connection, and how long it may last.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::{Instant, sleep_until};

use super::connections::Place;
use super::limits::ServeLimits;
use super::turns::Claim;

/// The bytes that a client must read of a response, or send of a body, to count as progress.
pub(super) const PIECE: usize = 16 * 1024;

/// One connection. hyper's own header timeout counts an idle HTTP/1 connection as one that is slow
/// with its head, knows no body and no reader; so the times are kept here, for both versions.
#[derive(Debug)]
pub(super) struct Activity {
    pub place: Place,
    pub limits: Arc<ServeLimits>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    stage: Stage,
    /// Whether the connection speaks HTTP/2. Its bytes are no sign of a request: pings are
    /// answered, too.
    multiplexed: bool,
    /// Requests whose responses have not been handed over as a whole.
    open: usize,
    /// Open requests that can continue without more bytes from their clients.
    working: usize,
    numbered: u64,
    /// Responses whose last piece the client has not taken.
    handed: BTreeMap<u64, Handed>,
    /// Since when bytes wait for the client, and how many it must take.
    waiting: Option<(Instant, usize)>,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Header(Instant),
    Idle(Instant),
    Working,
}

/// A piece of a response that waits for the client.
#[derive(Debug)]
struct Handed {
    since: Instant,
    turn: Option<Claim>,
}

impl Activity {
    pub(super) fn new(place: Place, limits: Arc<ServeLimits>) -> Arc<Self> {
        let state = State {
            stage: Stage::Header(Instant::now()),
            multiplexed: false,
            open: 0,
            working: 0,
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

    /// Completes when the connection must end: it took too long, or ends in favour of another.
    pub(super) async fn over(&self) {
        tokio::select! {
            () = self.overdue() => {}
            () = self.place.must_leave() => {}
        }
    }

    /// Completes when the connection takes too long. It checks at intervals, so that nothing has to
    /// wake it.
    async fn overdue(&self) {
        loop {
            let now = Instant::now();
            let deadline = self.state().deadline(&self.limits);
            if deadline.is_some_and(|deadline| deadline <= now) {
                return;
            }
            let next = now + self.limits.look();
            sleep_until(deadline.map_or(next, |deadline| deadline.min(next))).await;
        }
    }

    /// Notes that the client sent something.
    pub(super) fn heard(&self) {
        let mut state = self.state();
        if matches!(state.stage, Stage::Idle(_)) && !state.multiplexed {
            state.stage = Stage::Header(Instant::now());
        }
    }

    /// Notes that bytes wait for the client to read.
    pub(super) fn waits(&self) {
        self.state()
            .waiting
            .get_or_insert_with(|| (Instant::now(), PIECE));
    }

    /// Notes that the client, or the system on its behalf, took this number of bytes.
    pub(super) fn took(&self, bytes: usize) {
        let mut state = self.state();
        state.waiting = match state.waiting {
            Some((since, left)) if left > bytes => Some((since, left - bytes)),
            _ => None,
        };
    }

    /// Notes that no byte waits.
    pub(super) fn took_all(&self) {
        self.state().waiting = None;
    }

    /// Adds a request, which counts as working; returns its number.
    pub(super) fn begins(&self, multiplexed: bool) -> u64 {
        let mut state = self.state();
        state.multiplexed = multiplexed;
        state.stage = Stage::Working;
        state.open += 1;
        state.numbered += 1;
        let number = state.numbered;
        drop(state);
        self.works();
        number
    }

    /// Counts a request that can continue.
    pub(super) fn works(&self) {
        let mut state = self.state();
        state.working += 1;
        if state.working == 1 {
            self.place.busy();
        }
    }

    /// Notes that a request that worked waits for the rest of its body.
    pub(super) fn receives(&self) {
        let mut state = self.state();
        state.working -= 1;
        if state.working == 0 {
            self.place.receiving();
        }
    }

    /// Removes a request, which may have been working.
    pub(super) fn ends(&self, number: u64, worked: bool) {
        let mut state = self.state();
        state.handed.remove(&number);
        state.open -= 1;
        state.working -= usize::from(worked);
        if state.open == 0 {
            state.stage = Stage::Idle(Instant::now());
            self.place.idle();
        } else if state.working == 0 {
            self.place.receiving();
        }
    }

    /// Notes that a piece of the response to this request waits for the client.
    pub(super) fn handed(&self, number: u64, turn: Option<Claim>) {
        let since = Instant::now();
        self.state().handed.insert(number, Handed { since, turn });
    }

    /// Notes that the client took the last piece.
    pub(super) fn taken(&self, number: u64) {
        self.state().handed.remove(&number);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn deadline(&self, limits: &ServeLimits) -> Option<Instant> {
        let stage = match self.stage {
            Stage::Header(since) => Some(since + limits.header),
            // A connection whose client is still reading is not idle.
            Stage::Idle(since) if self.waiting.is_none() => Some(since + limits.idle),
            _ => None,
        };
        let unread = self.waiting.map(|(since, _)| since + limits.stalled);
        let handed = self.handed.values().map(|handed| handed.deadline(limits));
        stage.into_iter().chain(unread).chain(handed).min()
    }
}

impl Handed {
    fn deadline(&self, limits: &ServeLimits) -> Instant {
        let patience = self.since + limits.patience;
        let is_wanted = |turn: &Claim| patience <= Instant::now() && turn.is_wanted();
        match self.turn.as_ref().is_some_and(is_wanted) {
            true => patience.min(self.since + limits.stalled),
            false => self.since + limits.stalled,
        }
    }
}
