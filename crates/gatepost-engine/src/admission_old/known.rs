//! What is known of webhooks and origins. It may be forgotten: then it is learnt again.

use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::Place;
use tokio::time::Instant;
use webhook_model::{RateLimit, WebhookId};

use super::feedback::Lesson;
use super::pace::Pace;
use super::shared_breaker::SharedBreaker;
use super::standing::{Standing, Target};
use crate::config::Limits;
use crate::generations::Generations;
use crate::routes::Route;

/// Webhooks remembered, and webhooks whose rate is limited.
const WEBHOOKS: usize = 200_000;
/// Origins remembered that cannot be connected to.
const ORIGINS: usize = 10_000;

#[derive(Debug)]
pub(super) struct Known {
    targets: Generations<WebhookId, Target>,
    origins: Generations<Arc<str>, SharedBreaker>,
    rates: Generations<WebhookId, Pace>,
}

impl Known {
    pub(super) fn new() -> Self {
        Self {
            targets: Generations::new(WEBHOOKS),
            origins: Generations::new(ORIGINS),
            rates: Generations::new(WEBHOOKS),
        }
    }

    pub(super) fn standing(&mut self, route: &Route) -> Standing {
        self.target(route).map_or(Standing::New, |t| t.standing())
    }

    /// How long ago the webhook last responded.
    pub(super) fn silent_for(&mut self, route: &Route, now: Instant) -> Duration {
        self.target(route)
            .map_or(Duration::MAX, |target| target.silent_for(now))
    }

    /// How many requests the webhook may have in flight.
    ///
    /// # Errors
    /// None before then.
    pub(super) fn allowed(
        &mut self,
        route: &Route,
        limits: &Limits,
        now: Instant,
    ) -> Result<usize, Instant> {
        let target = self.target(route);
        let responded = target.as_ref().is_some_and(|target| target.responded());
        let allowed = match target {
            Some(target) => target.allowed(now)?,
            None => limits.in_flight.per_webhook,
        };
        if !responded && let Some(origin) = self.origins.get(&route.origin) {
            origin.check(now)?;
        }
        if let Some(rate) = self.rate(route, now) {
            rate.check(now)?;
        }
        Ok(allowed)
    }

    /// Until when nothing is sent to the webhook's target, because it cannot be connected to.
    pub(super) fn closed_until(&mut self, webhook: WebhookId, now: Instant) -> Option<Instant> {
        let target = self.targets.get(&webhook)?;
        if let Err(until) = target.allowed(now) {
            return Some(until);
        }
        let (responded, origin) = (target.responded(), target.origin.clone());
        let shared = self.origins.get(&origin).filter(|_| !responded)?;
        shared.check(now).err()
    }

    /// A request begins.
    pub(super) fn begin(&mut self, route: &Route, limits: &Limits, now: Instant) {
        let responded = self.target(route).is_some_and(|target| target.responded());
        if !responded && let Some(origin) = self.origins.get(&route.origin) {
            origin.probe(&limits.breaker, now);
        }
        if let Some(rate) = self.rate(route, now) {
            rate.take(now);
        }
    }

    /// It did not.
    pub(super) fn unsent(&mut self, route: &Route, now: Instant) {
        if let Some(rate) = self.rate(route, now) {
            rate.give_back();
        }
    }

    pub(super) fn learn(
        &mut self,
        route: &Route,
        tenant: Place,
        lesson: Lesson,
        limits: &Limits,
        now: Instant,
    ) {
        let origin = || route.origin.clone();
        let new = || Target::new(origin(), limits);
        let target = self.targets.get_or_insert(&route.id, new);
        if target.origin != route.origin {
            *target = new();
        }
        let had_received = target.has_received;
        target.learn(lesson, limits, now);
        let shared = self
            .origins
            .get_or_insert(&origin(), SharedBreaker::default);
        if !shared.learns(lesson.feedback, tenant, had_received, &limits.breaker, now) {
            self.origins.remove(&route.origin);
        }
    }

    fn target(&mut self, route: &Route) -> Option<&mut Target> {
        let target = self.targets.get(&route.id)?;
        (target.origin == route.origin).then_some(target)
    }

    /// Of a webhook that has a rate of its own.
    fn rate(&mut self, route: &Route, now: Instant) -> Option<&mut Pace> {
        let per_second = route.webhook.rate.map(RateLimit::get)?;
        let pace = self
            .rates
            .get_or_insert(&route.id, || Pace::new(per_second, now));
        if pace.per_second != per_second {
            *pace = Pace::new(per_second, now);
        }
        Some(pace)
    }
}
