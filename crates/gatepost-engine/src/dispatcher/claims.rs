//! Claims deliveries from the queues that got permits, and sends them.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Claim, Claimed, QueueClaim, WebhookQueue};
use gatepost_storage::{Revision, StoreError};

use super::dependencies::Dispatcher;
use crate::admission::Permit;
use crate::attempt::{Job, Outgoing};
use crate::guard::guarded;
use crate::lease::LeaseClass;
use crate::routes::Route;

/// Permits for one queue.
struct Taken {
    route: Arc<Route>,
    permits: Vec<Permit>,
    /// The number of deliveries claimed by them.
    claimed: usize,
    /// The due time of the last of those.
    due: DateTime<Utc>,
}

/// The queues to claim from. One claim is for one class of timeouts.
#[derive(Default)]
pub(super) struct Claims(BTreeMap<LeaseClass, BTreeMap<WebhookQueue, Taken>>);

impl Claims {
    pub(super) fn add(&mut self, permit: Permit, route: Arc<Route>) {
        let queues = self.0.entry(LeaseClass::of(&route)).or_default();
        let new = || Taken {
            route,
            permits: Vec::new(),
            claimed: 0,
            due: DateTime::<Utc>::MIN_UTC,
        };
        let taken = queues.entry(permit.queue()).or_insert_with(new);
        taken.permits.push(permit);
    }
}

impl Dispatcher {
    pub(super) async fn claim(&self, claims: Claims) -> Result<(), StoreError> {
        for (class, taken) in claims.0 {
            self.claim_class(class, taken).await?;
        }
        Ok(())
    }

    async fn claim_class(
        &self,
        class: LeaseClass,
        mut taken: BTreeMap<WebhookQueue, Taken>,
    ) -> Result<(), StoreError> {
        let now = self.core.clock.now()?;
        let lease_until = class.lease_until(self.timing.lease_margin, now);
        let asked = taken.iter().map(|(queue, taken)| QueueClaim {
            queue: *queue,
            limit: u32::try_from(taken.permits.len()).unwrap_or(u32::MAX),
        });
        let asked: Vec<QueueClaim> = asked.collect();
        for claimed in self.core.store.claim(&asked, lease_until, now).await? {
            let queue = WebhookQueue {
                webhook: claimed.delivery.webhook,
                class: claimed.class,
            };
            let Some(taken) = taken.get_mut(&queue) else {
                continue;
            };
            if let Some(mut permit) = taken.permits.pop() {
                permit.claimed();
                (taken.claimed, taken.due) = (taken.claimed + 1, claimed.delivery.due);
                self.begin(claimed, taken.route.clone(), permit, (now, lease_until));
            }
        }
        for (queue, taken) in taken {
            if taken.permits.is_empty() {
                let waited = (now - taken.due).to_std().unwrap_or_default();
                self.admission.claimed(queue, taken.claimed, waited);
            }
            taken.permits.into_iter().for_each(Permit::found_nothing);
        }
        Ok(())
    }

    /// Sends a claimed delivery, by the webhook as it was at the claim.
    fn begin(
        &self,
        claimed: Claimed,
        taken_for: Arc<Route>,
        permit: Permit,
        (now, lease_until): (DateTime<Utc>, DateTime<Utc>),
    ) {
        let Claimed {
            delivery,
            token,
            class,
            revision,
        } = claimed;
        let is_old = taken_for.revision < revision;
        let job = Job {
            untold: self.worker.watch.is_untold(delivery.cause.as_ref()),
            claim: Claim {
                delivery: delivery.id,
                token,
            },
            claimed: now,
            lease_until,
            message: Outgoing {
                id: delivery.message_id,
                body: delivery.body,
                trace: delivery.cause.and_then(|cause| cause.trace),
            },
            route: taken_for,
            class,
            attempts: delivery.attempts,
            tries: delivery.tries,
            status_info: delivery.status_info,
            permit,
        };
        if !is_old {
            self.worker.start(job);
            return;
        }
        // The webhook was edited after its queue was read and before the claim.
        let dispatcher = self.clone();
        let start = async move { dispatcher.start_as_of(job, revision).await };
        self.core.lifecycle.spawn(start);
    }

    async fn start_as_of(&self, mut job: Job, revision: Revision) {
        let leased_for = LeaseClass::of(&job.route);
        match self.webhooks.get(job.route.id, revision).await {
            Ok(None) => {} // Deleted: so is the delivery.
            Ok(Some(route)) if LeaseClass::of(&route) <= leased_for => {
                job.route = route;
                self.worker.start(job);
            }
            // Reading may take longer than the lease.
            Ok(Some(_)) => self.worker.give_back(job),
            Err(error) => {
                let webhook = job.route.id.0;
                guarded(|| tracing::warn!(webhook, %error, "a claim is given back"));
                self.worker.give_back(job);
            }
        }
    }
}
