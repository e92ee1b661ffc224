//! How many requests may be in flight, and to which targets: one that stalls delays its own
//! deliveries and nobody else's.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gatepost_storage::webhooks::LaneClass;
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

use super::rates::Rates;
use super::targets::{Feedback, Target};
use crate::config::{InFlightLimits, Limits};
use crate::routes::Route;

/// Hosts remembered although nothing is wrong with them: that they are responsive.
const REMEMBERED: usize = 10_000;

#[derive(Default)]
struct Counts {
    total: usize,
    retries: usize,
    /// Requests to hosts that were not responsive when they began.
    unresponsive: usize,
    webhooks: HashMap<WebhookId, usize>,
    owners: HashMap<OwnerId, usize>,
    targets: HashMap<Arc<str>, Target>,
    rates: Rates,
}

pub(crate) struct InFlight {
    limits: Limits,
    counts: Mutex<Counts>,
}

impl InFlight {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            counts: Mutex::default(),
        })
    }

    /// A permit for one request, if the webhook, its host, its owner and this process all have
    /// room.
    pub(crate) fn try_take(
        self: &Arc<Self>,
        route: &Arc<Route>,
        class: LaneClass,
    ) -> Option<Permit> {
        let limits = &self.limits.in_flight;
        let mut counts = self.lock();
        let used = |n: Option<&usize>| n.copied().unwrap_or_default();
        let retry = class == LaneClass::Retry;
        let per_webhook = if route.is_in_order() {
            1
        } else {
            limits.per_webhook
        };
        if counts.total >= limits.total
            || (retry && counts.retries >= share(limits, limits.retry_percent))
            || used(counts.webhooks.get(&route.id)) >= per_webhook
            || used(counts.owners.get(&route.webhook.owner)) >= limits.per_owner
        {
            return None;
        }
        let target = counts
            .targets
            .entry(route.host.clone())
            .or_insert_with(|| Target::new(&self.limits));
        let unresponsive = !target.responsive;
        let has_room = target.has_room(Instant::now());
        let crowded =
            unresponsive && counts.unresponsive >= share(limits, limits.unresponsive_percent);
        if crowded || !has_room || !counts.rates.allow(route) {
            return None;
        }
        if let Some(target) = counts.targets.get_mut(&route.host) {
            target.in_flight += 1;
        }
        counts.total += 1;
        counts.retries += usize::from(retry);
        counts.unresponsive += usize::from(unresponsive);
        *counts.webhooks.entry(route.id).or_default() += 1;
        *counts.owners.entry(route.webhook.owner).or_default() += 1;
        drop(counts);
        Some(Permit {
            in_flight: self.clone(),
            route: route.clone(),
            retry,
            unresponsive,
            feedback: Feedback::None,
        })
    }

    /// From now on the webhook sends what it held at a bounded rate, until nothing waits any more.
    pub(crate) fn resumed(&self, webhook: WebhookId) {
        if let Some(rate) = NonZeroU32::new(self.limits.rates.resumed_per_second) {
            self.lock().rates.resumed(webhook, rate);
        }
    }

    /// The webhook has sent all that it held.
    pub(crate) fn caught_up(&self, webhook: WebhookId) {
        self.lock().rates.caught_up(webhook);
    }

    /// Requests in flight.
    pub(crate) fn count(&self) -> usize {
        self.lock().total
    }

    fn release(&self, permit: &Permit) {
        let route = &permit.route;
        let mut counts = self.lock();
        counts.total = counts.total.saturating_sub(1);
        counts.retries = counts.retries.saturating_sub(usize::from(permit.retry));
        counts.unresponsive = counts
            .unresponsive
            .saturating_sub(usize::from(permit.unresponsive));
        let crowded = counts.targets.len() > REMEMBERED;
        decrement(&mut counts.webhooks, &route.id);
        decrement(&mut counts.owners, &route.webhook.owner);
        if let Some(target) = counts.targets.get_mut(&route.host) {
            target.in_flight = target.in_flight.saturating_sub(1);
            target.learn(permit.feedback, &self.limits, Instant::now());
            if crowded && target.is_forgettable(&self.limits) {
                counts.targets.remove(&route.host);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for InFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InFlight")
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}

/// One request in flight; given back when dropped.
pub(crate) struct Permit {
    in_flight: Arc<InFlight>,
    route: Arc<Route>,
    retry: bool,
    unresponsive: bool,
    /// What the attempt says about its host.
    pub(crate) feedback: Feedback,
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

/// A share of all requests in flight, at least one.
fn share(limits: &InFlightLimits, percent: usize) -> usize {
    (limits.total.saturating_mul(percent) / 100).max(1)
}

fn decrement<K: Hash + Eq>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(n) = counts.get_mut(key) {
        *n -= 1;
        if *n == 0 {
            counts.remove(key);
        }
    }
}
