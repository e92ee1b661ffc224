//! What is known of the host of a target: how much it takes at once, and whether it can be reached
//! at all.

use std::time::Duration;

use tokio::time::Instant;

use crate::config::{BreakerLimits, Limits};

/// The first pause of an open breaker; each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Responses of one moment say the same thing: the allowance is halved at most once in this time.
const HALVE_EVERY: Duration = Duration::from_secs(1);

/// What an attempt says about its target's host.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Feedback {
    /// Nothing: it was never asked.
    None,
    /// 429 or 503.
    Overloaded,
    /// A response, whatever it says.
    Responded,
    /// Connected, but no response in time.
    TimedOut,
    /// No connection could be made.
    Unreachable,
}

/// A host's allowance adapts between 1 and the limit: a little more after each response, half after
/// a sign of trouble. Its circuit breaker opens when it cannot be connected to.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) in_flight: usize,
    allowed: f64,
    /// Connect failures in a row.
    failures: u32,
    /// Until then the breaker lets nothing pass; after it, one attempt at a time.
    open_until: Option<Instant>,
    halved: Option<Instant>,
    /// It responded the last time that it was asked.
    pub(super) responsive: bool,
}

impl Target {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            in_flight: 0,
            allowed: as_f64(limits.in_flight.per_host),
            failures: 0,
            open_until: None,
            halved: None,
            responsive: false,
        }
    }

    pub(super) fn has_room(&self, now: Instant) -> bool {
        self.open_until
            .is_none_or(|until| until <= now && self.in_flight == 0)
            && as_f64(self.in_flight) < self.allowed
    }

    /// Nothing to remember: like a host that was never asked.
    pub(super) fn is_forgettable(&self, limits: &Limits) -> bool {
        self.in_flight == 0
            && self.failures == 0
            && self.allowed >= as_f64(limits.in_flight.per_host)
    }

    pub(super) fn learn(&mut self, feedback: Feedback, limits: &Limits, now: Instant) {
        match feedback {
            Feedback::None => {}
            Feedback::Responded => {
                self.failures = 0;
                self.open_until = None;
                self.responsive = true;
                self.allowed =
                    (self.allowed + 1.0 / self.allowed).min(as_f64(limits.in_flight.per_host));
            }
            Feedback::Overloaded => {
                self.failures = 0;
                self.open_until = None;
                self.halve(now);
            }
            Feedback::TimedOut => {
                self.responsive = false;
                self.halve(now);
            }
            Feedback::Unreachable => {
                self.failures = self.failures.saturating_add(1);
                self.responsive = false;
                self.trip(&limits.breaker, now);
            }
        }
    }

    /// Opens the breaker if there were enough failures.
    fn trip(&mut self, breaker: &BreakerLimits, now: Instant) {
        if let Some(more) = self.failures.checked_sub(breaker.threshold) {
            let pause = FIRST_PAUSE.saturating_mul(1 << more.min(16));
            self.open_until = Some(now + pause.min(breaker.max_pause));
        }
    }

    fn halve(&mut self, now: Instant) {
        if self.halved.is_none_or(|at| now - at >= HALVE_EVERY) {
            self.allowed = (self.allowed / 2.0).max(1.0);
            self.halved = Some(now);
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of requests in flight are small"
)]
fn as_f64(n: usize) -> f64 {
    n as f64
}
