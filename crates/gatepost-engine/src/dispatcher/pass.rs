//! One pass: the webhooks whose turn it is get permits, and their deliveries are claimed and sent.

use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::StoreError;

use super::claims::Claims;
use super::dependencies::Dispatcher;
use crate::admission::Permit;
use crate::attempt::REST;
use crate::guard::guarded;
use crate::routes::{Found, Route};

/// The maximum number claimed in one pass.
pub(super) const AT_ONCE: usize = 256;
/// Webhooks read at a time.
const READ: usize = 64;
/// The time after which a webhook that could not be read is read again.
const UNREADABLE: Duration = Duration::from_secs(60);
/// The pause after the store failed.
const AFTER_FAILURE: Duration = Duration::from_millis(500);

impl Dispatcher {
    /// Claims for the permits given, and sends. Webhooks that are not in memory are read in the
    /// background: however long it takes, it delays nothing else. True: there may be more.
    pub(super) async fn pass(self: &Arc<Self>) -> Result<bool, StoreError> {
        if !self.worker.is_ready() {
            // A delivery whose outcome cannot be recorded must not be sent: receivers would get it
            // repeatedly.
            return Ok(false);
        }
        let permits = self.admission.next_batch(AT_ONCE);
        let is_full = permits.len() == AT_ONCE;
        let (mut claims, mut unread) = (Claims::default(), Vec::new());
        for permit in permits {
            let webhook = permit.queue().webhook;
            if self
                .core
                .access
                .good_standing(permit.owner(), permit.place())
                == Some(false)
            {
                self.admission.rest(webhook, REST);
                continue;
            }
            match self.webhooks.cached(webhook, permit.revision()) {
                Some(route) => self.take(permit, route, &mut claims),
                None => unread.push(permit),
            }
        }
        while !unread.is_empty() {
            let some = unread.split_off(unread.len().saturating_sub(READ));
            let dispatcher = self.clone();
            let read = async move { dispatcher.read_and_claim(some).await };
            self.core.lifecycle.spawn(read);
        }
        self.claim(claims).await?;
        Ok(is_full)
    }

    /// Adds the permit's queue to the claims, if the webhook is unchanged.
    fn take(&self, permit: Permit, route: Arc<Route>, claims: &mut Claims) {
        if !route.sends() {
            self.admission.leave(route.id);
            permit.found_nothing();
        } else if self.admission.read(&route) {
            claims.add(permit, route);
        }
    }

    /// Reads webhooks, then claims. Unused permits are given back, and are given again.
    async fn read_and_claim(self: Arc<Self>, permits: Vec<Permit>) {
        let wanted: Vec<_> = permits
            .iter()
            .map(|permit| (permit.queue().webhook, permit.revision()))
            .collect();
        let found = match self.webhooks.get_many(&wanted).await {
            Ok(found) => found,
            Err(error) => {
                guarded(|| tracing::warn!(%error, "could not read webhooks"));
                // Until then they keep their permits, or it would be tried immediately.
                return self.core.lifecycle.rest(AFTER_FAILURE).await;
            }
        };
        if let Err(error) = self.claim_found(&found, permits).await {
            guarded(|| tracing::warn!(%error, "could not claim deliveries"));
        }
    }

    async fn claim_found(&self, found: &Found, permits: Vec<Permit>) -> Result<(), StoreError> {
        let mut claims = Claims::default();
        for permit in permits {
            let webhook = permit.queue().webhook;
            if let Some(route) = found.routes.get(&webhook) {
                self.take(permit, route.clone(), &mut claims);
            } else if found.unreadable.contains(&webhook) {
                self.admission.rest(webhook, UNREADABLE);
            } else {
                self.admission.leave(webhook);
                permit.found_nothing();
            }
        }
        self.claim(claims).await
    }
}
