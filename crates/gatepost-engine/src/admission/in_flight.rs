//! How many requests may be in flight, and for whom: what one tenant's targets do delays that
//! tenant's deliveries and nobody else's.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gatepost_ids::Place;
use gatepost_storage::webhooks::LaneClass;
use tokio::time::Instant;

use super::counts::{Asked, Counts, when_slow};
use super::feedback::Feedback;
use super::known::Known;
use super::lanes::Lanes;
use super::permit::Permit;
use super::room::{Room, Wait, walled};
use super::standing::Standing;
use crate::config::Limits;
use crate::routes::Route;

#[derive(Debug)]
struct State {
    counts: Counts,
    known: Known,
    requests: usize,
    /// Counts the times that room became free.
    releases: u64,
}

/// Why there is no permit.
#[derive(Debug)]
pub(crate) struct Blocked {
    pub(super) wait: Wait,
    /// As [`InFlight::releases`] was then.
    pub(super) releases: u64,
}

impl Blocked {
    /// Until then, whatever room there is.
    pub(crate) fn until(time: Instant) -> Self {
        Self {
            wait: Wait::Until(time),
            releases: 0,
        }
    }
}

pub(crate) struct InFlight {
    limits: Limits,
    lanes: Arc<Lanes>,
    state: Mutex<State>,
}

impl InFlight {
    /// Lanes that wait for room are woken as it becomes free.
    pub(crate) fn new(limits: Limits, lanes: Arc<Lanes>) -> Arc<Self> {
        let state = State {
            counts: Counts::new(limits.in_flight.clone()),
            known: Known::new(),
            requests: 0,
            releases: 0,
        };
        Arc::new(Self {
            limits,
            lanes,
            state: Mutex::new(state),
        })
    }

    /// A permit for one request, if all whose limits it counts in have room: the webhook, its
    /// owner, tenant and origin, and this process.
    pub(crate) fn try_take(
        self: &Arc<Self>,
        route: &Arc<Route>,
        place: Place,
        class: LaneClass,
    ) -> Option<Permit> {
        self.take(route, place, class).ok()
    }

    /// As [`try_take`](Self::try_take).
    ///
    /// # Errors
    /// What there is to wait for.
    pub(crate) fn take(
        self: &Arc<Self>,
        route: &Arc<Route>,
        place: Place,
        class: LaneClass,
    ) -> Result<Permit, Blocked> {
        let now = Instant::now();
        let mut state = self.lock();
        let releases = state.releases;
        let asked = state
            .ask(&self.limits, route, place, class, now)
            .map_err(|wait| Blocked { wait, releases })?;
        state.counts.add(&asked.rooms);
        state.requests += 1;
        drop(state);
        Ok(Permit::new(self.clone(), route.clone(), place, asked.rooms))
    }

    /// Counts the times that room became free: if it has not changed, whoever was
    /// [`Blocked`] still is.
    pub(super) fn releases(&self) -> u64 {
        self.lock().releases
    }

    /// Requests in flight.
    pub(crate) fn count(&self) -> usize {
        self.lock().requests
    }

    /// A request takes long: it leaves the room of those that do not. The rooms that it takes.
    pub(super) fn became_slow(&self, permit: &Permit) -> Vec<Room> {
        let more = when_slow(&permit.route, permit.place, &permit.rooms);
        let mut state = self.lock();
        state.counts.add(&more);
        if more.contains(&Room::Weak) {
            state.releases += 1;
            drop(state);
            self.lanes.freed(&[Room::All]);
        }
        more
    }

    pub(super) fn release(&self, permit: &Permit) {
        let route = &permit.route;
        let mut state = self.lock();
        state.counts.remove(&permit.rooms);
        state.requests = state.requests.saturating_sub(1);
        state.releases += 1;
        let mut proven = false;
        if permit.lesson.feedback != Feedback::None {
            let before = state.known.standing(route);
            let tenant = walled(permit.place, route.webhook.owner);
            let (known, now) = (&mut state.known, Instant::now());
            known.learn(route, tenant, permit.lesson, &self.limits, now);
            proven = before != known.standing(route);
        }
        drop(state);
        self.lanes.freed(&permit.rooms);
        if proven {
            self.lanes.changed(route.id);
        }
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        let state = self.lock();
        state.counts.is_empty() && state.requests == 0
    }

    #[cfg(test)]
    pub(crate) fn used(&self, room: &Room) -> usize {
        self.lock().counts.used(room)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn ask(
        &mut self,
        limits: &Limits,
        route: &Arc<Route>,
        place: Place,
        class: LaneClass,
        now: Instant,
    ) -> Result<Asked, Wait> {
        let allowed = self
            .known
            .allowed(route, limits, now)
            .map_err(Wait::Until)?;
        let hangs = self.counts.used(&Room::WebhookSlow(route.id)) > 0;
        let standing = if hangs {
            Standing::Slow
        } else {
            self.known.standing(route)
        };
        let allowed = if route.is_in_order() { 1 } else { allowed };
        let asked = Asked::new(route, place, class, standing, allowed);
        match self.counts.full(&asked) {
            Some(wait) => Err(wait),
            None => {
                self.known.begin(route, limits, now);
                Ok(asked)
            }
        }
    }
}

impl fmt::Debug for InFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InFlight")
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}
