//! Permits for single requests.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::Revision;
use gatepost_storage::webhooks::WebhookQueue;
use tokio::time::Instant;

use super::shared::{Admission, settings};
use crate::routes::Route;
use crate::scheduler::{self, Outcome, Webhook};

/// A permit for one request; returned when the request ends, or when it is dropped.
pub(crate) struct Permit {
    admission: Arc<Admission>,
    queue: WebhookQueue,
    owner: OwnerId,
    place: Realm,
    revision: Revision,
    /// `None`: returned.
    permit: Option<scheduler::Permit>,
    outcome: Outcome,
    took: Duration,
}

impl Admission {
    /// Returns a permit for a delivery that is being stored, if nothing goes before it.
    pub(crate) fn try_now(self: &Arc<Self>, route: &Route, place: Realm) -> Option<Permit> {
        let webhook = Webhook {
            id: route.id,
            owner: route.webhook.owner,
            place,
            revision: route.revision,
            settings: Some(settings(route)),
        };
        let permit = self.lock().try_now(&webhook, Instant::now())?;
        Some(Permit::new(self.clone(), permit, Outcome::Unsent))
    }

    /// Returns permits for the next turns, at most this number.
    pub(crate) fn next_batch(self: &Arc<Self>, most: usize) -> Vec<Permit> {
        let (mut permits, mut scheduler) = (Vec::new(), self.lock());
        scheduler.next_batch(most, Instant::now(), &mut permits);
        let has_gap = scheduler.take_gap();
        drop(scheduler);
        if has_gap {
            self.inquiries.sweep();
        }
        let permit = |permit| Permit::new(self.clone(), permit, Outcome::Unclaimed);
        permits.into_iter().map(permit).collect()
    }
}

impl Permit {
    /// Creates a permit. `outcome`: the default outcome.
    pub(super) fn new(
        admission: Arc<Admission>,
        permit: scheduler::Permit,
        outcome: Outcome,
    ) -> Self {
        Self {
            admission,
            queue: WebhookQueue {
                webhook: permit.webhook,
                class: permit.queue,
            },
            owner: permit.owner,
            place: permit.place,
            revision: permit.revision,
            permit: Some(permit),
            outcome,
            took: Duration::ZERO,
        }
    }

    /// Returns the queue to claim from.
    pub(crate) fn queue(&self) -> WebhookQueue {
        self.queue
    }

    /// Returns the owner of the webhook.
    pub(crate) fn owner(&self) -> OwnerId {
        self.owner
    }

    /// Returns the owner's realm.
    pub(crate) fn place(&self) -> Realm {
        self.place
    }

    /// Returns the revision at which a delivery was queued, or a newer one.
    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// Notes that a delivery was claimed by it.
    pub(crate) fn claimed(&mut self) {
        self.outcome = Outcome::Unsent;
    }

    /// Notes that there was nothing to claim.
    pub(crate) fn found_nothing(mut self) {
        self.outcome = Outcome::Empty;
    }

    /// Notes that the request takes long: from now on it counts among the slow.
    pub(crate) fn became_slow(&mut self) {
        if let Some(permit) = &mut self.permit {
            let mut scheduler = self.admission.lock();
            scheduler.became_slow(permit, Instant::now());
            self.admission.freed(scheduler);
        }
    }

    /// Notes that a request was made, and its outcome for the target.
    pub(crate) fn learnt(&mut self, outcome: Outcome, took: Duration) {
        (self.outcome, self.took) = (outcome, took);
    }

    /// Returns the permit when the request has ended.
    pub(crate) fn over(&mut self) {
        if let Some(permit) = self.permit.take() {
            let mut scheduler = self.admission.lock();
            scheduler.release(permit, self.outcome, self.took, Instant::now());
            self.admission.freed(scheduler);
        }
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
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}
