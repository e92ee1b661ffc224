//! Webhooks that send no faster than they may: those with a rate of their own, and those that were
//! resumed and send what was held.

use std::collections::HashMap;
use std::num::NonZeroU32;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use webhook_model::WebhookId;

use crate::routes::Route;

#[derive(Debug, Default)]
pub(super) struct Rates {
    own: HashMap<WebhookId, (NonZeroU32, DefaultDirectRateLimiter)>,
    resumed: HashMap<WebhookId, DefaultDirectRateLimiter>,
}

impl Rates {
    /// Whether the webhook may send one more now; if so, it counts.
    pub(super) fn allow(&mut self, route: &Route) -> bool {
        let resumed = self.resumed.get(&route.id);
        if resumed.is_some_and(|limit| limit.check().is_err()) {
            return false;
        }
        let Some(rate) = route.webhook.rate.map(webhook_model::RateLimit::get) else {
            return true;
        };
        let limiter = || (rate, RateLimiter::direct(Quota::per_second(rate)));
        let known = self.own.entry(route.id).or_insert_with(limiter);
        if known.0 != rate {
            *known = limiter();
        }
        known.1.check().is_ok()
    }

    pub(super) fn resumed(&mut self, webhook: WebhookId, rate: NonZeroU32) {
        let limit = RateLimiter::direct(Quota::per_second(rate));
        self.resumed.insert(webhook, limit);
    }

    pub(super) fn caught_up(&mut self, webhook: WebhookId) {
        self.resumed.remove(&webhook);
    }
}
