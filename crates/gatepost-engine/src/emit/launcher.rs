//! Leases what there is room for to this process, and sends it once it is stored.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_ids::Place;
use gatepost_storage::webhooks::{
    Claim, DueLane, Lane, LaneClass, NewDelivery, StoredDelivery, WebhookRoute,
};
use tokio::time::Instant;

use crate::admission::{Admission, Permit};
use crate::attempt::{Job, Outgoing, Worker};
use crate::lease::LeaseClass;
use crate::routes::WebhookCache;

/// Where a delivery waits, and what is needed to send it at once.
#[derive(Debug)]
pub(super) struct Slip {
    lane: DueLane,
    leased: Option<Leased>,
}

/// A delivery that is sent once it is stored.
#[derive(Debug)]
struct Leased {
    permit: Permit,
    until: DateTime<Utc>,
    message: Outgoing,
    untold: bool,
}

impl Slip {
    pub(super) fn is_leased(&self) -> bool {
        self.leased.is_some()
    }
}

#[derive(Debug)]
pub(crate) struct Launcher {
    pub webhooks: Arc<WebhookCache>,
    pub admission: Arc<Admission>,
    pub worker: Arc<Worker>,
    pub lease_margin: Duration,
}

impl Launcher {
    /// How a delivery is sent whose webhook's owner stands there. It is leased if that is at once:
    /// nothing has to be read for it, and it overtakes nothing that has waited for longer than a
    /// moment for the same webhook.
    pub(super) fn slip(&self, webhook: &WebhookRoute, place: Place, new: &mut NewDelivery) -> Slip {
        let lane = DueLane {
            lane: Lane {
                webhook: webhook.id,
                class: LaneClass::First,
            },
            due: new.due,
            owner: webhook.owner,
            place,
            revision: webhook.revision,
        };
        let leased = self.lease(webhook, &lane).map(|permit| {
            let until = LeaseClass::of(permit.route()).lease_until(self.lease_margin, new.due);
            new.lease_until = Some(until);
            Leased {
                permit,
                until,
                message: Outgoing {
                    id: new.message_id.clone(),
                    body: new.body.clone(),
                    trace: new.cause.as_ref().and_then(|cause| cause.trace.clone()),
                },
                untold: self.worker.watch.is_untold(new.cause.as_ref()),
            }
        });
        Slip { lane, leased }
    }

    fn lease(&self, webhook: &WebhookRoute, lane: &DueLane) -> Option<Permit> {
        let lanes = &self.admission.lanes;
        let may_lease = webhook.active
            && !webhook.in_order
            && self.worker.is_ready()
            && !lanes.is_ahead(lane.lane, lane.due)
            // Behind a backlog it waits.
            && lanes.may_send(lane, Instant::now()).is_ok_and(|of_backlog| !of_backlog);
        if !may_lease {
            return None;
        }
        let route = self.webhooks.cached(webhook.id, webhook.revision)?;
        let in_flight = &self.admission.in_flight;
        let permit = in_flight.take_new(&route, lane.place, LaneClass::First);
        permit.ok()
    }

    /// What was leased is sent at once; the rest waits for the dispatcher.
    pub(super) fn launch(&self, stored: &[StoredDelivery], slips: Vec<Slip>) {
        for (stored, slip) in stored.iter().zip(slips) {
            self.send_or_leave(*stored, slip);
        }
    }

    pub(super) fn send_or_leave(&self, stored: StoredDelivery, slip: Slip) {
        match (slip.leased, stored.token) {
            (Some(leased), Some(token)) => self.worker.start(Job {
                untold: leased.untold,
                claim: Claim {
                    delivery: stored.id,
                    token,
                },
                claimed: slip.lane.due,
                lease_until: leased.until,
                message: leased.message,
                route: leased.permit.route().clone(),
                class: LaneClass::First,
                attempts: 0,
                tries: 0,
                status_info: String::new(),
                permit: leased.permit,
                turn: None,
            }),
            _ => self.admission.lanes.ready(slip.lane),
        }
    }
}
