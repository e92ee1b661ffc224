//! Leases what there is room for to this process, and sends it once it is stored.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Claim, Lane, LaneClass, NewDelivery, StoredDelivery};
use webhook_model::TaskId;

use crate::admission::{Admission, Permit};
use crate::attempt::{Job, Outgoing, Worker};
use crate::last_runs::LastRuns;
use crate::lease::LeaseClass;
use crate::routes::{MatchedTask, WebhookCache};

#[derive(Debug)]
pub(crate) struct Launcher {
    pub webhooks: Arc<WebhookCache>,
    pub admission: Arc<Admission>,
    pub worker: Arc<Worker>,
    pub last_runs: Arc<LastRuns>,
    pub lease_margin: Duration,
}

impl Launcher {
    /// A lease, if the delivery may be sent at once: nothing has to be read for it, and it
    /// overtakes none of those that wait for the same webhook.
    pub(super) fn lease(
        &self,
        matched: &MatchedTask,
        now: DateTime<Utc>,
    ) -> Option<(Permit, DateTime<Utc>)> {
        let webhook = &matched.webhook;
        let lane = Lane {
            webhook: webhook.id,
            class: LaneClass::First,
        };
        let may_lease = webhook.active
            && !webhook.in_order
            && self.worker.is_ready()
            && !self.admission.lanes.has(lane);
        if !may_lease {
            return None;
        }
        let route = self.webhooks.cached(webhook.id, webhook.revision)?;
        let in_flight = &self.admission.in_flight;
        let permit = in_flight.try_take(&route, matched.place, lane.class)?;
        let end = LeaseClass::of(&route).lease_until(self.lease_margin, now);
        Some((permit, end))
    }

    /// What was leased is sent at once; the rest waits for the dispatcher.
    pub(super) fn launch(
        &self,
        new: Vec<NewDelivery>,
        stored: &[StoredDelivery],
        permits: Vec<Option<Permit>>,
        consumed: &[TaskId],
        now: DateTime<Utc>,
    ) {
        let ran = new.iter().filter_map(|delivery| delivery.task);
        let stay = ran.filter(|task| !consumed.contains(task));
        self.last_runs.note(stay, now);
        for ((new, stored), permit) in new.into_iter().zip(stored).zip(permits) {
            self.send_or_leave(new, *stored, permit);
        }
    }

    fn send_or_leave(&self, new: NewDelivery, stored: StoredDelivery, permit: Option<Permit>) {
        match (permit, stored.token) {
            (Some(permit), Some(token)) => self.worker.start(Job {
                claim: Claim {
                    delivery: stored.id,
                    token,
                },
                claimed: new.due,
                message: Outgoing {
                    id: new.message_id,
                    body: new.body,
                },
                route: permit.route().clone(),
                attempts: 0,
                status_info: String::new(),
                permit,
                turn: None,
            }),
            _ => self.admission.lanes.ready(Lane {
                webhook: new.webhook,
                class: LaneClass::First,
            }),
        }
    }
}
