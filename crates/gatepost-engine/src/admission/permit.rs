//! Leave for one request.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::Place;

use super::feedback::{Feedback, Lesson};
use super::in_flight::InFlight;
use super::room::Room;
use crate::routes::Route;

/// One request in flight; given back when dropped.
pub(crate) struct Permit {
    in_flight: Arc<InFlight>,
    pub(super) route: Arc<Route>,
    pub(super) place: Place,
    pub(super) rooms: Vec<Room>,
    pub(super) lesson: Lesson,
}

impl Permit {
    pub(super) fn new(
        in_flight: Arc<InFlight>,
        route: Arc<Route>,
        place: Place,
        rooms: Vec<Room>,
    ) -> Self {
        let lesson = Lesson {
            feedback: Feedback::None,
            took: Duration::ZERO,
        };
        Self {
            in_flight,
            route,
            place,
            rooms,
            lesson,
        }
    }

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

    /// The request takes long: from now on it counts among the slow.
    pub(crate) fn became_slow(&mut self) {
        let more = self.in_flight.became_slow(self);
        self.rooms.extend(more);
    }

    /// What the attempt says about the target.
    pub(crate) fn learnt(&mut self, lesson: Lesson) {
        self.lesson = lesson;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.in_flight.clone().release(self);
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit")
            .field("webhook", &self.route.id)
            .finish_non_exhaustive()
    }
}
