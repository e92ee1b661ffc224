//! How many requests may be in flight, and for which tenant: what one tenant's targets do delays
//! that tenant's deliveries and nobody else's.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gatepost_ids::Place;
use gatepost_storage::webhooks::LaneClass;
use tokio::time::Instant;
use webhook_model::WebhookId;

use super::feedback::{Feedback, Lesson};
use super::lanes::Lanes;
use super::room::{Blocked, Room, Trial, Wait};
use super::slots::Slots;
use super::turn::Turn;
use crate::config::Limits;
use crate::routes::Route;

/// What is learnt where no request was made.
const NOTHING: Lesson = Lesson {
    feedback: Feedback::None,
    took: Duration::ZERO,
};

pub(crate) struct InFlight {
    lanes: Arc<Lanes>,
    slots: Mutex<Slots>,
}

impl InFlight {
    /// Lanes that wait for room are woken as it becomes free.
    pub(crate) fn new(limits: Limits, lanes: Arc<Lanes>) -> Arc<Self> {
        let slots = Mutex::new(Slots::new(limits));
        Arc::new(Self { lanes, slots })
    }

    /// A permit for one request, if all whose limits it counts in have room: the webhook, its
    /// owner, tenant and origin, and this process.
    ///
    /// # Errors
    /// What there is to wait for.
    pub(crate) fn take(
        self: &Arc<Self>,
        route: &Arc<Route>,
        place: Place,
        class: LaneClass,
    ) -> Result<Permit, Blocked> {
        let rooms = self.lock().take(route, place, class, Instant::now())?;
        Ok(self.permit(route, place, rooms))
    }

    /// As [`take`](Self::take), for what has just arrived. Where there is no room, a webhook of
    /// which nothing is known yet may be tried: those that stall do not keep out those that come
    /// after them.
    ///
    /// # Errors
    /// What there is to wait for.
    pub(crate) fn take_new(
        self: &Arc<Self>,
        route: &Arc<Route>,
        place: Place,
        class: LaneClass,
    ) -> Result<Permit, Blocked> {
        self.take_or_try(route, place, class, Trial::Fresh)
    }

    /// As [`take_new`](Self::take_new), for what has arrived just now or has waited to be tried.
    ///
    /// # Errors
    /// What there is to wait for.
    pub(crate) fn take_or_try(
        self: &Arc<Self>,
        route: &Arc<Route>,
        place: Place,
        class: LaneClass,
        trial: Trial,
    ) -> Result<Permit, Blocked> {
        self.take(route, place, class).or_else(|blocked| {
            let now = Instant::now();
            let rooms = (class == LaneClass::First)
                .then(|| self.lock().take_trial(route, place, trial, now))
                .flatten();
            rooms
                .map(|rooms| self.permit(route, place, rooms))
                .ok_or(blocked)
        })
    }

    fn permit(self: &Arc<Self>, route: &Arc<Route>, place: Place, rooms: Vec<Room>) -> Permit {
        Permit {
            in_flight: self.clone(),
            route: route.clone(),
            place,
            rooms,
            of_backlog: false,
            lesson: None,
            is_over: false,
        }
    }

    /// The lane waits, or is ready again if room became free in between, which woke nobody.
    pub(crate) fn step_aside(&self, turn: Turn, blocked: Blocked) {
        let lane = turn.due.lane;
        let for_room = matches!(blocked.wait, Wait::Room(_) | Wait::Share(_));
        turn.wait(blocked.wait);
        if blocked.may_be_tried {
            self.lanes.line_up(lane);
        }
        if for_room && self.lock().releases() != blocked.releases {
            self.lanes.again(lane);
        }
    }

    /// How many lanes that wait for it may be tried now.
    pub(super) fn free_trials(&self) -> usize {
        self.lock().free_trials()
    }

    /// Until when nothing is sent to the webhook's target, because it cannot be connected to.
    pub(crate) fn closed_until(&self, webhook: WebhookId, now: Instant) -> Option<Instant> {
        self.lock().closed_until(webhook, now)
    }

    /// Requests in flight.
    pub(crate) fn count(&self) -> usize {
        self.lock().requests()
    }

    fn release(&self, permit: &Permit) {
        let Permit { route, place, .. } = permit;
        let now = Instant::now();
        let mut slots = self.lock();
        if permit.lesson.is_none() {
            slots.unsent(route, now);
        }
        let lesson = permit.lesson.unwrap_or(NOTHING);
        let changed = slots.release(route, *place, &permit.rooms, lesson, now);
        drop(slots);
        if permit.lesson.is_none() && permit.of_backlog {
            self.lanes.unsent(route.id);
        }
        self.lanes.freed(&permit.rooms);
        if changed {
            self.lanes.changed(route.id);
        }
    }

    #[cfg(test)]
    pub(crate) fn try_take(
        self: &Arc<Self>,
        route: &Arc<Route>,
        place: Place,
        class: LaneClass,
    ) -> Option<Permit> {
        self.take(route, place, class).ok()
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    #[cfg(test)]
    pub(crate) fn used(&self, room: &Room) -> usize {
        self.lock().used(room)
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for InFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InFlight")
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}

/// Leave for one request; given back when that is over, or when it is dropped.
pub(crate) struct Permit {
    in_flight: Arc<InFlight>,
    route: Arc<Route>,
    place: Place,
    rooms: Vec<Room>,
    /// It has a turn of those that send what was held.
    of_backlog: bool,
    /// `None`: no request was made. Then what it has of a rate goes back.
    lesson: Option<Lesson>,
    is_over: bool,
}

impl Permit {
    /// What it is for.
    pub(crate) fn route(&self) -> &Arc<Route> {
        &self.route
    }

    /// Where the webhook's owner stands.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// Whether it is good for this route: an edited webhook may be another request elsewhere.
    pub(crate) fn fits(&self, route: &Route) -> bool {
        self.route.id == route.id && self.route.origin == route.origin
    }

    /// The request takes long: from now on it counts among the slow, and leaves the room of those
    /// that are not.
    pub(crate) fn became_slow(&mut self) {
        let mut slots = self.in_flight.lock();
        let leaves_room = slots.became_slow(&self.route, self.place, &mut self.rooms);
        drop(slots);
        if leaves_room {
            self.in_flight.lanes.freed(&[Room::All]);
        }
    }

    /// It is for one of a backlog, which has a turn for it.
    pub(crate) fn for_backlog(&mut self) {
        self.in_flight.lanes.sends(self.route.id, Instant::now());
        self.of_backlog = true;
    }

    /// The request is over: there is room for another.
    pub(crate) fn over(&mut self) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.in_flight.clone().release(self);
        }
    }

    /// A request was made, and what it says about the target.
    pub(crate) fn learnt(&mut self, lesson: Lesson) {
        self.lesson = Some(lesson);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.over();
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit")
            .field("webhook", &self.route.id)
            .finish_non_exhaustive()
    }
}
