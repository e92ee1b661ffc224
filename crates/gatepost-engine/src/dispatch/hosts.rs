//! What is known of a target's host: how much it takes at once, and whether it can be reached at
//! all.

use std::time::Duration;

use tokio::time::Instant;

use super::slots::Feedback;
use crate::config::Limits;

/// A host adapts between 1 and the limit: a little more after each answer, half after a sign of
/// trouble.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) in_flight: usize,
    allowed: f64,
    /// Connect failures in a row.
    failures: u32,
    /// No attempt before this, while it cannot be connected to.
    closed_until: Option<Instant>,
    halved: Option<Instant>,
    /// It answered the last time that it was asked.
    pub(super) proven: bool,
}

impl Host {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            in_flight: 0,
            allowed: as_f64(limits.per_host),
            failures: 0,
            closed_until: None,
            halved: None,
            proven: false,
        }
    }

    pub(super) fn has_room(&self, now: Instant) -> bool {
        self.closed_until
            .is_none_or(|until| until <= now && self.in_flight == 0)
            && as_f64(self.in_flight) < self.allowed
    }

    /// Nothing to remember: as a host that was never met.
    pub(super) fn is_forgettable(&self, limits: &Limits) -> bool {
        self.in_flight == 0 && self.failures == 0 && self.allowed >= as_f64(limits.per_host)
    }

    pub(super) fn learn(&mut self, feedback: Feedback, limits: &Limits, now: Instant) {
        match feedback {
            Feedback::None => {}
            Feedback::Answered => {
                self.failures = 0;
                self.closed_until = None;
                self.proven = true;
                self.allowed = (self.allowed + 1.0 / self.allowed).min(as_f64(limits.per_host));
            }
            Feedback::Overloaded => {
                self.failures = 0;
                self.closed_until = None;
                self.halve(now);
            }
            Feedback::TimedOut => {
                self.proven = false;
                self.halve(now);
            }
            Feedback::Unreachable => {
                self.failures = self.failures.saturating_add(1);
                self.proven = false;
                if let Some(over) = self.failures.checked_sub(limits.circuit_failures) {
                    let space = Duration::from_millis(500).saturating_mul(1 << over.min(16));
                    self.closed_until = Some(now + space.min(limits.circuit_space));
                }
            }
        }
    }

    /// Many answers of one moment say the same thing: once a second is enough.
    fn halve(&mut self, now: Instant) {
        if self
            .halved
            .is_none_or(|at| now - at >= Duration::from_secs(1))
        {
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
