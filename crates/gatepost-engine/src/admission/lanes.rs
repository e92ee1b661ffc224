//! The lanes that may have something to send. Grows with the number of webhooks, not with what
//! waits.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::Lane;
use tokio::sync::Notify;

#[derive(Debug, Default)]
struct State {
    /// Each with the number of the last call that made it ready.
    ready: BTreeMap<Lane, u64>,
    calls: u64,
    /// The lane that was served last; the next turn begins behind it.
    last: Option<Lane>,
    /// When the next retry is due, as far as is known.
    next_retry: Option<DateTime<Utc>>,
    /// The store is to be asked.
    look: bool,
}

#[derive(Debug)]
pub(crate) struct Lanes {
    state: Mutex<State>,
    wake: Notify,
}

impl Lanes {
    /// The store is to be asked first.
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::new(State {
                look: true,
                ..State::default()
            }),
            wake: Notify::new(),
        }
    }

    /// Something was queued in this lane: the dispatcher wakes up.
    pub(crate) fn ready(&self, lane: Lane) {
        self.add(lane);
        self.wake.notify_one();
    }

    pub(crate) fn add(&self, lane: Lane) {
        let mut state = self.lock();
        state.calls += 1;
        let call = state.calls;
        state.ready.insert(lane, call);
    }

    pub(crate) fn has(&self, lane: Lane) -> bool {
        self.lock().ready.contains_key(&lane)
    }

    /// There is nothing more to claim, unless the lane was made ready again since `call`.
    pub(crate) fn done(&self, lane: Lane, call: u64) {
        let mut state = self.lock();
        if state.ready.get(&lane) == Some(&call) {
            state.ready.remove(&lane);
        }
    }

    /// The lanes, each with the call that made it ready; beginning behind the one that came first
    /// in the last turn.
    pub(crate) fn in_turn(&self) -> Vec<(Lane, u64)> {
        let mut state = self.lock();
        let mut lanes: Vec<(Lane, u64)> = state
            .ready
            .iter()
            .map(|(lane, call)| (*lane, *call))
            .collect();
        let start = state
            .last
            .map_or(0, |last| lanes.partition_point(|(lane, _)| *lane <= last));
        let length = lanes.len();
        lanes.rotate_left(if start == length { 0 } else { start });
        state.last = lanes.first().map(|(lane, _)| *lane);
        lanes
    }

    /// A retry will be due then.
    pub(crate) fn retry_at(&self, due: Option<DateTime<Utc>>) {
        let mut state = self.lock();
        state.next_retry = match (state.next_retry, due) {
            (Some(known), Some(due)) => Some(known.min(due)),
            (known, due) => known.or(due),
        };
    }

    pub(crate) fn next_retry(&self) -> Option<DateTime<Utc>> {
        self.lock().next_retry
    }

    /// The store is to be asked in the next pass.
    pub(crate) fn look(&self) {
        self.lock().look = true;
    }

    /// As [`look`](Self::look), at once.
    pub(crate) fn look_now(&self) {
        self.look();
        self.wake.notify_one();
    }

    /// Whether the store is to be asked now. The next call says no, unless there is a new reason.
    pub(crate) fn take_look(&self, now: DateTime<Utc>) -> bool {
        let mut state = self.lock();
        if state.next_retry.is_some_and(|due| due <= now) {
            state.next_retry = None;
            state.look = true;
        }
        std::mem::take(&mut state.look)
    }

    /// Wakes the dispatcher: there is room again.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    pub(crate) async fn woken(&self) {
        self.wake.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
