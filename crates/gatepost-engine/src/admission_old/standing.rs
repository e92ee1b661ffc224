//! What is known of a webhook's target: how much it takes at once, whether it can be reached, and
//! whether it is slow. What one webhook meets says nothing about another's target, though both
//! have one host name.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::feedback::{Feedback, Lesson};
use crate::config::{BreakerLimits, Limits};

/// A request that has run for longer is slow.
pub(crate) const SLOW_AFTER: Duration = Duration::from_secs(2);
/// The number of slow requests in a row that make a slow webhook.
const SLOW: u32 = 3;
/// The first pause of an open breaker; each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Responses of one moment say the same thing: the allowance is halved at most once in this time.
const HALVE_EVERY: Duration = Duration::from_secs(1);

/// What may be expected of the next request to a webhook.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Standing {
    /// It responded the last time, and is not slow.
    Proven,
    /// It has not been tried.
    New,
    /// Its last three took long, or it did not respond the last time.
    Slow,
}

/// How the last attempt went.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Last {
    None,
    Responded,
    Failed,
}

/// A webhook's target. Its allowance adapts between 1 and the limit: a little more after each
/// response, half after a sign of trouble. Its circuit breaker opens when it cannot be connected
/// to.
#[derive(Debug)]
pub(super) struct Target {
    /// All of this is about that origin: a webhook that gets another URL begins again.
    pub(super) origin: Arc<str>,
    allowed: f64,
    /// Connect failures in a row.
    failures: u32,
    /// Until then the breaker lets nothing pass; after it, one attempt at a time.
    open_until: Option<Instant>,
    halved: Option<Instant>,
    last: Last,
    /// When it last responded.
    responded: Option<Instant>,
    /// Up for each slow request, down for each other.
    slow: u32,
    /// Whether it ever took a message.
    pub(super) has_received: bool,
}

impl Target {
    pub(super) fn new(origin: Arc<str>, limits: &Limits) -> Self {
        Self {
            origin,
            allowed: as_f64(limits.in_flight.per_webhook),
            failures: 0,
            open_until: None,
            halved: None,
            last: Last::None,
            responded: None,
            slow: 0,
            has_received: false,
        }
    }

    pub(super) fn standing(&self) -> Standing {
        match self.last {
            _ if self.slow >= SLOW => Standing::Slow,
            Last::Responded => Standing::Proven,
            Last::None => Standing::New,
            Last::Failed => Standing::Slow,
        }
    }

    /// Whether it responded the last time: then what others meet there does not hold it back.
    pub(super) fn responded(&self) -> bool {
        self.last == Last::Responded
    }

    /// How long ago it last responded.
    pub(super) fn silent_for(&self, now: Instant) -> Duration {
        self.responded.map_or(Duration::MAX, |at| now - at)
    }

    /// How many requests it may have in flight.
    ///
    /// # Errors
    /// None before then.
    pub(super) fn allowed(&self, now: Instant) -> Result<usize, Instant> {
        match self.open_until {
            Some(until) if until > now => Err(until),
            Some(_) => Ok(1),
            None => Ok(as_usize(self.allowed)),
        }
    }

    pub(super) fn learn(&mut self, lesson: Lesson, limits: &Limits, now: Instant) {
        if lesson.feedback != Feedback::None {
            let slow = lesson.took >= SLOW_AFTER;
            self.slow = if slow {
                SLOW.min(self.slow + 1)
            } else {
                self.slow.saturating_sub(1)
            };
        }
        match lesson.feedback {
            Feedback::None => {}
            Feedback::Received | Feedback::Responded => {
                self.has_received |= lesson.feedback == Feedback::Received;
                self.connected(Last::Responded);
                self.responded = Some(now);
                let most = as_f64(limits.in_flight.per_webhook);
                self.allowed = (self.allowed + 1.0 / self.allowed).min(most);
            }
            Feedback::Overloaded => {
                self.connected(Last::Responded);
                self.responded = Some(now);
                self.halve(now);
            }
            Feedback::TimedOut => {
                self.connected(Last::Failed);
                self.halve(now);
            }
            Feedback::Refused | Feedback::Unreachable => {
                self.failures = self.failures.saturating_add(1);
                self.last = Last::Failed;
                self.trip(&limits.breaker, now);
            }
        }
    }

    fn connected(&mut self, last: Last) {
        self.failures = 0;
        self.open_until = None;
        self.last = last;
    }

    /// Opens the breaker if there were enough failures.
    fn trip(&mut self, breaker: &BreakerLimits, now: Instant) {
        if let Some(more) = self.failures.checked_sub(breaker.threshold) {
            self.open_until = Some(now + pause(more, breaker));
        }
    }

    fn halve(&mut self, now: Instant) {
        if self.halved.is_none_or(|at| now - at >= HALVE_EVERY) {
            self.allowed = (self.allowed / 2.0).max(1.0);
            self.halved = Some(now);
        }
    }
}

/// How long a breaker is open after this number of failures more than opened it.
pub(super) fn pause(more: u32, breaker: &BreakerLimits) -> Duration {
    let pause = FIRST_PAUSE.saturating_mul(1 << more.min(16));
    pause.min(breaker.max_pause)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of requests in flight are small"
)]
fn as_f64(n: usize) -> f64 {
    n as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 1 and a number of requests in flight"
)]
fn as_usize(n: f64) -> usize {
    n.ceil() as usize
}
