//! The retry policy.

use std::time::Duration;

use rand::Rng;

use super::schedule::{MAX_DELAY, Schedule};

/// Whether an outcome allows a retry. Whether attempts are left is decided by [`RetryPolicy`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "a decision: each case has to be handled"
)]
pub enum Retryable {
    /// A retry may help, but not before this time has passed (`Retry-After` on 429 and 503).
    After(Duration),
    /// A retry cannot help, or nothing failed.
    No,
    /// A retry may help.
    Yes,
}

/// The number and the delays of reattempts after the first attempt (SPEC 2.2 *Retries*, SPEC 6 rule
/// 3).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RetryPolicy {
    retries: u32,
    schedule: Schedule,
}

impl RetryPolicy {
    /// Creates a policy with this number of reattempts and the default [`Schedule`].
    #[must_use]
    pub fn new(retries: u32) -> Self {
        Self {
            retries,
            schedule: Schedule::default(),
        }
    }

    /// Sets another schedule.
    #[must_use]
    pub fn with_schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// Returns the number of reattempts after the first attempt.
    #[must_use]
    pub fn retries(&self) -> u32 {
        self.retries
    }

    /// Returns the delays between attempts.
    #[must_use]
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Returns the delay before the next attempt after `made` attempts, or `None` if there is none.
    /// A receiver's `Retry-After` can only lengthen the schedule's delay, up to [`MAX_DELAY`].
    #[must_use]
    pub fn next_delay(
        &self,
        made: u32,
        retryable: Retryable,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Duration> {
        if retryable == Retryable::No || made > self.retries {
            return None;
        }
        let delay = self.schedule.delay(made, rng);
        Some(match retryable {
            Retryable::After(wish) => delay.max(wish).min(MAX_DELAY),
            Retryable::Yes | Retryable::No => delay,
        })
    }
}
