//! The parts of admission together, in paused time.

mod alone;
mod backlogs;
mod bounds;
mod in_flight;
mod limits;
mod liveness;
mod pressure;
mod shared_origin;
mod stalls;
mod trials;
mod turns;
mod visits;
mod waited;

use std::sync::Arc;
use std::time::Duration;

use chrono::DateTime;
use gatepost_ids::{Place, TenantId};
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{DueLane, Lane, LaneClass};
use webhook_model::{OwnerId, Webhook, WebhookId};

use super::feedback::{Feedback, Lesson};
use super::{Admission, InFlight, Permit};
use crate::config::{InFlightLimits, Limits};
use crate::routes::Route;

pub(super) const MOMENT: Duration = Duration::from_millis(5);

/// A webhook of this owner.
pub(super) fn route_to(owner: u32, id: u32, url: &str) -> Arc<Route> {
    let name = format!("w{id}").parse().unwrap();
    let webhook = Webhook::new(OwnerId::from(owner), name, url.parse().unwrap());
    Arc::new(Route::new(WebhookId(id.into()), Revision::FIRST, webhook))
}

/// A webhook of its own owner, on a host of its own.
pub(super) fn route(n: u32) -> Arc<Route> {
    route_to(n, n, &format!("https://host-{n}.example.com/"))
}

pub(super) fn tenant(n: u32) -> Place {
    Place::Tenant(TenantId::from(n))
}

pub(super) fn limited(limits: InFlightLimits) -> Admission {
    Admission::new(&Limits::default().with_in_flight(limits))
}

pub(super) fn due(route: &Route, place: Place, class: LaneClass) -> DueLane {
    DueLane {
        lane: Lane {
            webhook: route.id,
            class,
        },
        due: DateTime::UNIX_EPOCH,
        owner: route.webhook.owner,
        place,
        revision: route.revision,
    }
}

pub(super) fn take_all(
    in_flight: &Arc<InFlight>,
    route: &Arc<Route>,
    place: Place,
    class: LaneClass,
) -> Vec<Permit> {
    std::iter::from_fn(|| in_flight.try_take(route, place, class)).collect()
}

/// Gives permits back after attempts that went so and took that long.
pub(super) fn finish_after(
    permits: impl IntoIterator<Item = Permit>,
    feedback: Feedback,
    took: Duration,
) {
    for mut permit in permits {
        permit.learnt(Lesson { feedback, took });
    }
}

pub(super) fn finish(permits: impl IntoIterator<Item = Permit>, feedback: Feedback) {
    finish_after(permits, feedback, MOMENT);
}

/// The webhook has taken a message.
pub(super) fn prove(in_flight: &Arc<InFlight>, route: &Arc<Route>, place: Place) {
    let permit = in_flight.try_take(route, place, LaneClass::First);
    finish(permit, Feedback::Received);
}
