//! Who may have how many requests in flight. A stalled target costs its own deliveries time and
//! nobody else's.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gatepost_storage::webhooks::LaneClass;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::Notify;
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

use super::hosts::Host;
use crate::config::Limits;
use crate::routes::Route;

/// Hosts remembered although nothing is wrong with them: that they were proven.
const REMEMBERED: usize = 10_000;

/// What an attempt tells about its host.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Feedback {
    /// Nothing: it was never asked.
    None,
    /// It answered, whatever it said.
    Answered,
    /// 429 or 503.
    Overloaded,
    /// Connected, but no answer in time.
    TimedOut,
    /// No connection came about.
    Unreachable,
}

#[derive(Default)]
struct Counts {
    total: usize,
    retries: usize,
    /// Requests to hosts that were not proven when they began.
    unproven: usize,
    webhooks: HashMap<WebhookId, usize>,
    owners: HashMap<OwnerId, usize>,
    hosts: HashMap<Arc<str>, Host>,
    rates: HashMap<WebhookId, (NonZeroU32, DefaultDirectRateLimiter)>,
    /// Webhooks that were resumed and send what was held at a bounded rate.
    resumed: HashMap<WebhookId, DefaultDirectRateLimiter>,
}

pub(crate) struct Slots {
    limits: Limits,
    counts: Mutex<Counts>,
    freed: Notify,
}

impl Slots {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            counts: Mutex::default(),
            freed: Notify::new(),
        })
    }

    /// Takes a slot, if the webhook, its host, its owner and this process all have one left.
    pub(crate) fn try_take(
        self: &Arc<Self>,
        route: &Arc<Route>,
        class: LaneClass,
    ) -> Option<Permit> {
        let limits = &self.limits;
        let mut counts = self.lock();
        let used = |n: Option<&usize>| n.copied().unwrap_or_default();
        let retry = class == LaneClass::Retry;
        let in_order = route.is_in_order();
        if counts.total >= limits.in_flight
            || (retry && counts.retries >= share(limits, limits.retry_percent))
            || used(counts.webhooks.get(&route.id)) >= if in_order { 1 } else { limits.per_webhook }
            || used(counts.owners.get(&route.webhook.owner)) >= limits.per_owner
        {
            return None;
        }
        let host = counts
            .hosts
            .entry(route.host.clone())
            .or_insert_with(|| Host::new(limits));
        let unproven = !host.proven;
        if !host.has_room(Instant::now())
            || (unproven && counts.unproven >= share(limits, limits.unproven_percent))
            || !counts.rate_allows(route)
        {
            return None;
        }
        if let Some(host) = counts.hosts.get_mut(&route.host) {
            host.in_flight += 1;
        }
        counts.total += 1;
        counts.retries += usize::from(retry);
        counts.unproven += usize::from(unproven);
        *counts.webhooks.entry(route.id).or_default() += 1;
        *counts.owners.entry(route.webhook.owner).or_default() += 1;
        drop(counts);
        Some(Permit {
            slots: self.clone(),
            route: route.clone(),
            retry,
            unproven,
            feedback: Feedback::None,
        })
    }

    /// What a webhook held is sent at a bounded rate from now on, until nothing waits any more.
    pub(crate) fn resumed(&self, webhook: WebhookId) {
        if let Some(rate) = NonZeroU32::new(self.limits.resume_per_second) {
            self.lock()
                .resumed
                .insert(webhook, RateLimiter::direct(Quota::per_second(rate)));
        }
    }

    /// What a webhook held is sent.
    pub(crate) fn caught_up(&self, webhook: WebhookId) {
        self.lock().resumed.remove(&webhook);
    }

    /// Requests in flight.
    pub(crate) fn in_flight(&self) -> usize {
        self.lock().total
    }

    /// Ready when nothing is in flight any more.
    pub(crate) async fn idle(&self) {
        loop {
            let freed = self.freed.notified();
            if self.in_flight() == 0 {
                return;
            }
            freed.await;
        }
    }

    fn release(&self, permit: &Permit) {
        let route = &permit.route;
        let mut counts = self.lock();
        counts.total = counts.total.saturating_sub(1);
        counts.retries = counts.retries.saturating_sub(usize::from(permit.retry));
        counts.unproven = counts.unproven.saturating_sub(usize::from(permit.unproven));
        let crowded = counts.hosts.len() > REMEMBERED;
        decrement(&mut counts.webhooks, &route.id);
        decrement(&mut counts.owners, &route.webhook.owner);
        if let Some(host) = counts.hosts.get_mut(&route.host) {
            host.in_flight = host.in_flight.saturating_sub(1);
            host.learn(permit.feedback, &self.limits, Instant::now());
            if crowded && host.is_forgettable(&self.limits) {
                counts.hosts.remove(&route.host);
            }
        }
        drop(counts);
        self.freed.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn rate_allows(&mut self, route: &Route) -> bool {
        if self
            .resumed
            .get(&route.id)
            .is_some_and(|limit| limit.check().is_err())
        {
            return false;
        }
        let Some(rate) = route.webhook.rate.map(webhook_model::RateLimit::get) else {
            return true;
        };
        let limiter = || (rate, RateLimiter::direct(Quota::per_second(rate)));
        let known = self.rates.entry(route.id).or_insert_with(limiter);
        if known.0 != rate {
            *known = limiter();
        }
        known.1.check().is_ok()
    }
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slots")
            .field("in_flight", &self.in_flight())
            .finish_non_exhaustive()
    }
}

/// One request in flight; given back when dropped.
pub(crate) struct Permit {
    slots: Arc<Slots>,
    route: Arc<Route>,
    retry: bool,
    unproven: bool,
    /// What the attempt told of its host.
    pub(crate) feedback: Feedback,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.slots.clone().release(self);
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit")
            .field("webhook", &self.route.id)
            .finish_non_exhaustive()
    }
}

/// So many in a hundred of all slots, at least one.
fn share(limits: &Limits, percent: usize) -> usize {
    (limits.in_flight.saturating_mul(percent) / 100).max(1)
}

fn decrement<K: Hash + Eq>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(n) = counts.get_mut(key) {
        *n -= 1;
        if *n == 0 {
            counts.remove(key);
        }
    }
}
