//! Leases deliveries to this process as far as there are permits, and sends them once they are
//! stored.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::webhooks::{
    Claim, DueQueue, NewDelivery, QueueClass, StoredDelivery, WebhookQueue, WebhookRoute,
};

use crate::admission::{Admission, Permit};
use crate::attempt::{Job, Outgoing, Worker};
use crate::lease::LeaseClass;
use crate::routes::{Route, WebhookCache};

/// The queue of a delivery, and the data needed to send it immediately.
#[derive(Debug)]
pub(super) struct Slip {
    queue: DueQueue,
    leased: Option<Leased>,
}

/// A delivery that is sent once it is stored.
#[derive(Debug)]
struct Leased {
    permit: Permit,
    route: Arc<Route>,
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
    /// Decides how a delivery is sent, for a webhook whose owner is in this realm. It is leased if
    /// it can be sent immediately: nothing must be read for it, and nothing is pending for the same
    /// webhook.
    pub(super) fn slip(&self, webhook: &WebhookRoute, place: Realm, new: &mut NewDelivery) -> Slip {
        let queue = DueQueue {
            queue: WebhookQueue {
                webhook: webhook.id,
                class: QueueClass::First,
            },
            due: new.due,
            owner: webhook.owner,
            realm: place,
            revision: webhook.revision,
        };
        let leased = self.lease(webhook, place).map(|(permit, route)| {
            let until = LeaseClass::of(&route).lease_until(self.lease_margin, new.due);
            new.lease_until = Some(until);
            Leased {
                permit,
                route,
                until,
                message: Outgoing {
                    id: new.message_id.clone(),
                    body: new.body.clone(),
                    trace: new.cause.as_ref().and_then(|cause| cause.trace.clone()),
                },
                untold: self.worker.watch.is_untold(new.cause.as_ref()),
            }
        });
        Slip { queue, leased }
    }

    fn lease(&self, webhook: &WebhookRoute, place: Realm) -> Option<(Permit, Arc<Route>)> {
        if !webhook.active || webhook.in_order || !self.worker.is_ready() {
            return None;
        }
        let route = self.webhooks.cached(webhook.id, webhook.revision)?;
        let permit = self.admission.try_now(&route, place)?;
        Some((permit, route))
    }

    /// Sends leased deliveries immediately; the others wait for the dispatcher.
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
                claimed: slip.queue.due,
                lease_until: leased.until,
                message: leased.message,
                route: leased.route,
                class: QueueClass::First,
                attempts: 0,
                tries: 0,
                status_info: String::new(),
                permit: leased.permit,
            }),
            _ => self.admission.stored(&slip.queue),
        }
    }
}
