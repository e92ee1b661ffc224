//! Who may have one more request in flight, by what is in flight and what is known.

use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::Place;
use gatepost_storage::webhooks::LaneClass;
use tokio::time::Instant;
use webhook_model::WebhookId;

use super::counts::{Asked, Counts, when_slow};
use super::feedback::{Feedback, Lesson};
use super::known::Known;
use super::precedence::Precedence;
use super::room::{Blocked, Room, Trial, Wait, walled};
use super::standing::Standing;
use crate::config::Limits;
use crate::routes::Route;

#[derive(Debug)]
pub(super) struct Slots {
    limits: Limits,
    counts: Counts,
    known: Known,
    precedence: Precedence,
    requests: usize,
    /// Counts the times that room became free.
    releases: u64,
}

impl Slots {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            counts: Counts::new(limits.in_flight.clone()),
            known: Known::new(),
            precedence: Precedence::default(),
            requests: 0,
            releases: 0,
            limits,
        }
    }

    pub(super) fn requests(&self) -> usize {
        self.requests
    }

    pub(super) fn releases(&self) -> u64 {
        self.releases
    }

    /// The rooms that a request takes.
    ///
    /// # Errors
    /// What there is to wait for.
    pub(super) fn take(
        &mut self,
        route: &Arc<Route>,
        place: Place,
        class: LaneClass,
        now: Instant,
    ) -> Result<Vec<Room>, Blocked> {
        match self.ask(route, place, class, now) {
            Ok(asked) => Ok(self.begin(route, asked, now)),
            Err(wait) => Err(Blocked {
                may_be_tried: wait.is_for_all()
                    && class == LaneClass::First
                    && self.may_be_tried(route),
                wait,
                releases: self.releases,
            }),
        }
    }

    /// Until when nothing is sent to the webhook's target.
    pub(super) fn closed_until(&mut self, webhook: WebhookId, now: Instant) -> Option<Instant> {
        self.known.closed_until(webhook, now)
    }

    /// A webhook that is not known to be slow, and has no request in flight.
    fn may_be_tried(&mut self, route: &Route) -> bool {
        self.known.standing(route) != Standing::Slow
            && self.counts.used(&Room::Webhook(route.id)) == 0
    }

    /// How many of those that waited for it may be tried now.
    pub(super) fn free_trials(&self) -> usize {
        self.counts.free_trials()
    }

    /// The rooms that a trial takes: the only request of a webhook that is not known to be slow.
    pub(super) fn take_trial(
        &mut self,
        route: &Arc<Route>,
        place: Place,
        trial: Trial,
        now: Instant,
    ) -> Option<Vec<Room>> {
        let may_be =
            self.known.allowed(route, &self.limits, now).is_ok() && self.may_be_tried(route);
        let standing = self.known.standing(route);
        let asked = may_be.then(|| Asked::trial(route, place, standing, trial))?;
        let silent_for = match trial {
            Trial::Fresh => self.known.silent_for(route, now),
            Trial::Waited => Duration::ZERO,
        };
        let wait = self.counts.full(&asked);
        let wait = wait.or_else(|| self.counts.is_for_others(&asked, silent_for));
        wait.is_none().then(|| self.begin(route, asked, now))
    }

    fn begin(&mut self, route: &Arc<Route>, asked: Asked, now: Instant) -> Vec<Room> {
        self.known.begin(route, &self.limits, now);
        self.counts.add(&asked.rooms);
        self.requests += 1;
        asked.rooms
    }

    fn ask(
        &mut self,
        route: &Arc<Route>,
        place: Place,
        class: LaneClass,
        now: Instant,
    ) -> Result<Asked, Wait> {
        let allowed = self.known.allowed(route, &self.limits, now);
        let allowed = allowed.map_err(Wait::Until)?;
        let hangs = self.counts.used(&Room::WebhookSlow(route.id)) > 0;
        let standing = if hangs {
            Standing::Slow
        } else {
            self.known.standing(route)
        };
        let allowed = if route.is_in_order() { 1 } else { allowed };
        let asked = Asked::new(route, place, class, standing, allowed);
        if let Some(wait) = self.counts.full(&asked) {
            return Err(wait);
        }
        let until = self.precedence.lets_others_begin(&asked.rooms, hangs, now);
        if let Some(until) = until {
            return Err(Wait::Until(until));
        }
        let silent_for = self.known.silent_for(route, now);
        let others = (standing == Standing::Proven)
            .then(|| self.counts.is_for_others(&asked, silent_for))
            .flatten();
        others.map_or(Ok(asked), Err)
    }

    /// A request that has these rooms takes long, and takes others besides. A trial is over.
    /// Whether that leaves room for those that are not slow.
    pub(super) fn became_slow(&mut self, route: &Route, place: Place, has: &mut Vec<Room>) -> bool {
        let more = when_slow(route, place, has);
        self.counts.add(&more);
        let over: Vec<Room> = has.extract_if(.., |room| *room == Room::Trial).collect();
        self.counts.remove(&over);
        let leaves_room = over.is_empty() && more.contains(&Room::Weak);
        has.extend(more);
        self.releases += u64::from(leaves_room);
        leaves_room
    }

    /// A request is over. Whether its webhook is known for something else by now.
    pub(super) fn release(
        &mut self,
        route: &Route,
        place: Place,
        rooms: &[Room],
        lesson: Lesson,
        now: Instant,
    ) -> bool {
        self.counts.remove(rooms);
        self.precedence.ended(rooms, lesson, now);
        self.requests = self.requests.saturating_sub(1);
        self.releases += 1;
        if lesson.feedback == Feedback::None {
            return false;
        }
        let before = self.known.standing(route);
        let tenant = walled(place, route.webhook.owner);
        self.known.learn(route, tenant, lesson, &self.limits, now);
        before != self.known.standing(route)
    }

    /// No request was made: it counts for no rate.
    pub(super) fn unsent(&mut self, route: &Route, now: Instant) {
        self.known.unsent(route, now);
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty() && self.requests == 0
    }

    #[cfg(test)]
    pub(super) fn used(&self, room: &Room) -> usize {
        self.counts.used(room)
    }
}
