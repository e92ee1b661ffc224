//! What a connection is doing, and until when it may.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::{Instant, sleep_until};

use super::connections::Place;
use super::limits::ServeLimits;
use super::turns::Claim;

/// What a client must read of a response, or send of a body, for it to count as progress.
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
    /// Over HTTP/2 bytes are no sign of a request: pings are answered, too.
    multiplexed: bool,
    /// Requests whose responses have not been handed over as a whole.
    open: usize,
    /// Those of them that need no more of their clients' bytes before they can go on.
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
            let next = now + self.limits.look();
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

    /// A request begins, which counts as working; its number.
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

    /// A request can go on.
    pub(super) fn works(&self) {
        let mut state = self.state();
        state.working += 1;
        if state.working == 1 {
            self.place.busy();
        }
    }

    /// A request that worked waits for the rest of its body.
    pub(super) fn receives(&self) {
        let mut state = self.state();
        state.working -= 1;
        if state.working == 0 {
            self.place.receiving();
        }
    }

    /// A request that worked, or did not, is over.
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

    /// A piece of the response to this request waits for the client.
    pub(super) fn handed(&self, number: u64, turn: Option<Claim>) {
        let since = Instant::now();
        self.state().handed.insert(number, Handed { since, turn });
    }

    /// The client took the last piece.
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
            // What is still being read is no idleness.
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
