//! Leases what there is room for to this process, and sends it once it is stored.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_ids::Place;
use gatepost_storage::webhooks::{
    Claim, DueLane, Lane, LaneClass, NewDelivery, StoredDelivery, WebhookRoute,
};
use tokio::time::Instant;
use webhook_model::TaskId;

use crate::admission::{Admission, Permit};
use crate::attempt::{Job, Outgoing, Worker};
use crate::last_runs::LastRuns;
use crate::lease::LeaseClass;
use crate::routes::WebhookCache;

/// Where a delivery waits, and what is needed to send it at once.
#[derive(Debug)]
pub(super) struct Slip {
    lane: DueLane,
    leased: Option<Permit>,
}

#[derive(Debug)]
pub(crate) struct Launcher {
    pub webhooks: Arc<WebhookCache>,
    pub admission: Arc<Admission>,
    pub worker: Arc<Worker>,
    pub last_runs: Arc<LastRuns>,
    pub lease_margin: Duration,
}

impl Launcher {
    /// How a delivery is sent whose webhook's owner stands there, and the end of its lease if that
    /// is at once: nothing has to be read for it, and it overtakes nothing that has waited for
    /// longer than a moment for the same webhook.
    pub(super) fn slip(
        &self,
        webhook: &WebhookRoute,
        place: Place,
        now: DateTime<Utc>,
    ) -> (Slip, Option<DateTime<Utc>>) {
        let lane = DueLane {
            lane: Lane {
                webhook: webhook.id,
                class: LaneClass::First,
            },
            due: now,
            owner: webhook.owner,
            place,
            revision: webhook.revision,
        };
        let leased = self.lease(webhook, &lane);
        let end = leased
            .as_ref()
            .map(|permit| LeaseClass::of(permit.route()).lease_until(self.lease_margin, now));
        (Slip { lane, leased }, end)
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
    pub(super) fn launch(
        &self,
        new: Vec<NewDelivery>,
        stored: &[StoredDelivery],
        slips: Vec<Slip>,
        consumed: &[TaskId],
        now: DateTime<Utc>,
    ) {
        let ran = new.iter().filter_map(|delivery| delivery.task);
        let stay = ran.filter(|task| !consumed.contains(task));
        self.last_runs.note(stay, now);
        for ((new, stored), slip) in new.into_iter().zip(stored).zip(slips) {
            self.send_or_leave(new, *stored, slip);
        }
    }

    pub(super) fn send_or_leave(&self, new: NewDelivery, stored: StoredDelivery, slip: Slip) {
        match (slip.leased, stored.token, new.lease_until) {
            (Some(permit), Some(token), Some(lease_until)) => self.worker.start(Job {
                untold: self.worker.watch.is_untold(new.cause.as_ref()),
                claim: Claim {
                    delivery: stored.id,
                    token,
                },
                claimed: new.due,
                lease_until,
                message: Outgoing {
                    id: new.message_id,
                    body: new.body,
                    trace: new.cause.and_then(|cause| cause.trace),
                },
                route: permit.route().clone(),
                class: LaneClass::First,
                attempts: 0,
                tries: 0,
                status_info: String::new(),
                permit,
                turn: None,
            }),
            _ => self.admission.lanes.ready(slip.lane),
        }
    }
}
