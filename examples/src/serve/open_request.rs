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
    /// Whether it counts as working: its client is not waited for.
    works: bool,
    /// What is left of the time for its body, which does not run while it waits for its turn.
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

    /// Reads what may be read of the body before the turn; `None` if it is late.
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

    /// Waits for a turn at work; `None` if that took too long, or too many wait.
    pub(super) async fn turn(&mut self, lane: Lane) -> Option<Claim> {
        let turn = self.neighbours().turns.take(lane);
        self.turn = timeout(self.limits().body, turn).await.ok().flatten();
        self.turn.as_ref().map(|turn| turn.claim().clone())
    }

    /// Whose request it is, and so whose connection.
    pub(super) fn is_of(&self, caller: Caller) {
        if caller != Caller::Unknown {
            self.activity.place.is_of(caller);
        }
    }

    /// Until when the rest of the body has to be there.
    pub(super) fn until(&self) -> Instant {
        Instant::now() + self.left
    }

    pub(super) fn limits(&self) -> &ServeLimits {
        &self.activity.limits
    }

    pub(super) fn neighbours(&self) -> &Neighbours {
        &self.activity.place.neighbours
    }

    /// A piece of the response waits for the client.
    pub(super) fn handed(&self) {
        let turn = self.turn.as_ref().map(|turn| turn.claim().clone());
        self.activity.handed(self.number, turn);
    }

    /// The client took the last piece.
    pub(super) fn taken(&self) {
        self.activity.taken(self.number);
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.activity.ends(self.number, self.works);
    }
}
