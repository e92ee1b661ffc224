//! Claims for the lanes that got permits, and sends what was claimed.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Claim, Claimed, Lane, LaneClaim, LaneClass};
use gatepost_storage::{Revision, StoreError};
use tokio::time::Instant;

use super::part::Dispatcher;
use crate::admission::{Permit, Turn};
use crate::attempt::{Job, Outgoing};
use crate::guard::guarded;
use crate::lease::LeaseClass;
use crate::routes::Route;

/// Permits for one lane.
pub(super) struct Taken {
    pub turn: Turn,
    pub route: Arc<Route>,
    pub permits: Vec<Permit>,
}

impl Taken {
    fn claim(&self) -> LaneClaim {
        LaneClaim {
            lane: self.turn.due.lane,
            limit: u32::try_from(self.permits.len()).unwrap_or(u32::MAX),
        }
    }
}

/// What is to be claimed. One claim is for one class of timeouts.
#[derive(Default)]
pub(super) struct Claims(BTreeMap<LeaseClass, BTreeMap<Lane, Taken>>);

impl Claims {
    pub(super) fn add(&mut self, taken: Option<Taken>) {
        if let Some(taken) = taken {
            let lanes = self.0.entry(LeaseClass::of(&taken.route)).or_default();
            lanes.insert(taken.turn.due.lane, taken);
        }
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
        mut taken: BTreeMap<Lane, Taken>,
    ) -> Result<(), StoreError> {
        let now = self.core.clock.now()?;
        let lease_until = class.lease_until(self.timing.lease_margin, now);
        let asked: Vec<LaneClaim> = taken.values().map(Taken::claim).collect();
        for claimed in self.core.store.claim(&asked, lease_until, now).await? {
            let lane = Lane {
                webhook: claimed.delivery.webhook,
                class: claimed.class,
            };
            let Some(taken) = taken.get_mut(&lane) else {
                continue;
            };
            if let Some(permit) = taken.permits.pop() {
                let due = claimed.delivery.due;
                self.admission.lanes.claimed(lane, &taken.route, due, now);
                let lease = (now, lease_until);
                self.begin(claimed, taken.route.clone(), permit, lease);
            }
        }
        for taken in taken.into_values() {
            if !taken.permits.is_empty() {
                // There was less than asked for: the lane is empty.
                let lane = taken.turn.due.lane;
                self.admission.lanes.emptied(lane, &taken.route);
                taken.turn.done();
            }
        }
        Ok(())
    }

    /// Sends what was claimed, by the webhook as it was at that moment.
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
        let retry = class == LaneClass::Retry;
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
            turn: retry.then(|| self.admission.retry_pacer.turn(Instant::now())),
        };
        if !is_old {
            self.worker.start(job);
            return;
        }
        // It was edited between the look at the lane and the claim.
        let dispatcher = self.clone();
        let start = async move { dispatcher.start_as_of(job, revision).await };
        self.core.lifecycle.spawn(start);
    }

    async fn start_as_of(&self, mut job: Job, revision: Revision) {
        let leased_for = LeaseClass::of(&job.route);
        match self.webhooks.get(job.route.id, revision).await {
            Ok(None) => {} // Deleted: so is the delivery.
            Ok(Some(route)) if job.permit.fits(&route) && LeaseClass::of(&route) <= leased_for => {
                job.route = route;
                self.worker.start(job);
            }
            // It goes elsewhere now, and takes room there; or it may take longer than the lease.
            Ok(Some(_)) => self.worker.give_back(job),
            Err(error) => {
                let webhook = job.route.id.0;
                guarded(|| tracing::warn!(webhook, %error, "a claim is given back"));
                self.worker.give_back(job);
            }
        }
    }
}
