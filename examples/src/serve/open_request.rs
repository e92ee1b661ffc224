//! A request, from its head until its response has been handed over.

use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use tokio::time::{Instant, timeout};

use super::activity::Activity;
use super::ahead::Ahead;
use super::callers::Caller;
use super::limits::ServeLimits;
use super::neighbours::Neighbours;
use super::turns::{Claim, Lane, Turn};

#[derive(Debug)]
pub(super) struct OpenRequest {
    activity: Arc<Activity>,
    number: u64,
    /// Whether it counts as working: it does not wait for its client.
    works: bool,
    /// The remaining time for its body, which does not run while the request waits for its turn.
    left: Duration,
    turn: Option<Turn>,
}

impl OpenRequest {
    pub(super) fn new(activity: &Arc<Activity>, multiplexed: bool) -> Self {
        Self {
            number: activity.begins(multiplexed),
            works: true,
            left: activity.limits.body,
            turn: None,
            activity: activity.clone(),
        }
    }

    /// Reads the allowed part of the body before the turn; `None` if it is late.
    pub(super) async fn read_ahead(&mut self, body: Incoming) -> Option<Ahead> {
        let budget = self.neighbours().ahead.clone();
        let (began, mut ahead) = (Instant::now(), Ahead::new(body, budget));
        if ahead.is_more() {
            self.activity.receives();
            self.works = false;
            timeout(self.left, ahead.read()).await.ok()?;
            self.activity.works();
            self.works = true;
            self.left = self.left.saturating_sub(began.elapsed());
        }
        Some(ahead)
    }

    /// Waits for a turn; `None` if that took too long, or too many wait.
    pub(super) async fn turn(&mut self, lane: Lane) -> Option<Claim> {
        let turn = self.neighbours().turns.take(lane);
        self.turn = timeout(self.limits().body, turn).await.ok().flatten();
        self.turn.as_ref().map(|turn| turn.claim().clone())
    }

    /// Notes the caller of this request and its connection.
    pub(super) fn is_of(&self, caller: Caller) {
        if caller != Caller::Unknown {
            self.activity.place.is_of(caller);
        }
    }

    /// Returns the time at which the whole body must be there.
    pub(super) fn until(&self) -> Instant {
        Instant::now() + self.left
    }

    pub(super) fn limits(&self) -> &ServeLimits {
        &self.activity.limits
    }

    pub(super) fn neighbours(&self) -> &Neighbours {
        &self.activity.place.neighbours
    }

    /// Notes that a piece of the response waits for the client.
    pub(super) fn handed(&self) {
        let turn = self.turn.as_ref().map(|turn| turn.claim().clone());
        self.activity.handed(self.number, turn);
    }

    /// Notes that the client took the last piece.
    pub(super) fn taken(&self) {
        self.activity.taken(self.number);
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.activity.ends(self.number, self.works);
    }
}
