//! The circuit breaker of an origin that many webhooks share.
//!
//! Whoever may write a webhook can make it fail, and with it what is remembered of a host that
//! everybody uses. So only those count who were received there before and cannot even connect any
//! more: that is nothing that a webhook's owner can bring about. It takes two tenants, and a single
//! connection of anybody closes it.

use std::time::Duration;

use gatepost_ids::Place;
use tokio::time::Instant;

use super::feedback::Feedback;
use super::standing::pause;
use crate::config::BreakerLimits;

/// Two tenants fail together if there is no more between them than this.
const TOGETHER: Duration = Duration::from_secs(60);

/// What is wrong with an origin. There is none for an origin that can be connected to.
#[derive(Debug, Default)]
pub(super) struct SharedBreaker {
    /// Which tenant failed last that had been received there, and when.
    failed: Option<(Place, Instant)>,
    /// Until then only those are let through who got a response the last time.
    open_until: Option<Instant>,
    /// Attempts let through since it opened.
    probes: u32,
}

impl SharedBreaker {
    /// Whether one attempt may be made by a webhook that got no response the last time.
    ///
    /// # Errors
    /// Not before then.
    pub(super) fn check(&self, now: Instant) -> Result<(), Instant> {
        match self.open_until {
            Some(until) if until > now => Err(until),
            _ => Ok(()),
        }
    }

    /// One attempt was let through: while it lasts there is no other.
    pub(super) fn probe(&mut self, breaker: &BreakerLimits, now: Instant) {
        if self.open_until.is_some() {
            self.probes = self.probes.saturating_add(1);
            self.open_until = Some(now + pause(self.probes, breaker));
        }
    }

    /// Whether anything is still wrong. `had_received`: whether the webhook's messages were taken
    /// there before.
    #[must_use]
    pub(super) fn learns(
        &mut self,
        feedback: Feedback,
        tenant: Place,
        had_received: bool,
        breaker: &BreakerLimits,
        now: Instant,
    ) -> bool {
        match feedback {
            Feedback::None | Feedback::Unreachable => true,
            Feedback::Received
            | Feedback::Overloaded
            | Feedback::Responded
            | Feedback::TimedOut => false,
            Feedback::Refused => {
                let together = self
                    .failed
                    .is_some_and(|(other, at)| other != tenant && now - at <= TOGETHER);
                if self.open_until.is_none() && had_received && together {
                    self.open_until = Some(now + pause(0, breaker));
                }
                if had_received {
                    self.failed = Some((tenant, now));
                }
                true
            }
        }
    }
}
