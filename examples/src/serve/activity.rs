//! What a connection waits for its client to do, and until when.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::Version;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::limits::ServeLimits;

/// One connection. hyper's own timeout for heads counts an idle HTTP/1 connection as one that is
/// slow with its head; for HTTP/2, and for clients that do not read, hyper has none. So the times
/// are kept here, for both versions.
#[derive(Debug)]
pub(super) struct Activity {
    limits: Arc<ServeLimits>,
    state: Mutex<State>,
    /// Ends it, so that another has its place.
    pub evicted: Notify,
}

#[derive(Debug)]
struct State {
    /// Requests whose responses have not been handed over as a whole, and until when they have to
    /// be; `None` before there is a response.
    open: BTreeMap<u64, Option<Instant>>,
    /// Since when there is none.
    idle_since: Instant,
    /// Until when there has to be one.
    idle_until: Instant,
    /// Whether the next byte begins a request. Over HTTP/2 it may answer a ping.
    awaits_head: bool,
}

impl Activity {
    pub(super) fn new(limits: Arc<ServeLimits>) -> Arc<Self> {
        let now = Instant::now();
        let state = State {
            open: BTreeMap::new(),
            idle_since: now,
            idle_until: now + limits.header,
            awaits_head: false,
        };
        Arc::new(Self {
            limits,
            state: Mutex::new(state),
            evicted: Notify::new(),
        })
    }

    /// Ready when the client took too long.
    ///
    /// A time that begins later than a look ends after the next one: looks need not be woken.
    pub(super) async fn overdue(&self) {
        let limits = &self.limits;
        let look = limits.header.min(limits.idle).min(limits.response);
        loop {
            let now = Instant::now();
            let deadline = self.state().deadline().unwrap_or(now + look);
            if deadline <= now {
                return;
            }
            sleep_until(deadline.min(now + look)).await;
        }
    }

    /// The client sent something.
    pub(super) fn heard(&self) {
        let mut state = self.state();
        if mem::take(&mut state.awaits_head) {
            state.idle_until = Instant::now() + self.limits.header;
        }
    }

    /// Since when it has had no request; `None` while it has one.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let state = self.state();
        state.open.is_empty().then_some(state.idle_since)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn deadline(&self) -> Option<Instant> {
        let idle = self.open.is_empty().then_some(&self.idle_until);
        self.open.values().flatten().chain(idle).min().copied()
    }
}

/// A request, from its head until its response has been handed over.
#[derive(Debug)]
pub(super) struct OpenRequest {
    activity: Arc<Activity>,
    number: u64,
    version: Version,
}

impl OpenRequest {
    pub(super) fn new(activity: Arc<Activity>, version: Version) -> Self {
        let mut state = activity.state();
        let number = state.open.keys().last().map_or(0, |last| last + 1);
        state.open.insert(number, None);
        drop(state);
        Self {
            activity,
            number,
            version,
        }
    }

    /// The response is there; from now on the client is waited for.
    pub(super) fn answered(&self) {
        let until = Instant::now() + self.activity.limits.response;
        self.activity.state().open.insert(self.number, Some(until));
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let mut state = self.activity.state();
        state.open.remove(&self.number);
        state.idle_since = Instant::now();
        state.idle_until = state.idle_since + self.activity.limits.idle;
        state.awaits_head = self.version != Version::HTTP_2;
    }
}
