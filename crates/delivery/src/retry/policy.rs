//! How often an attempt is repeated.

use std::time::Duration;

use rand::Rng;

use super::schedule::{MAX_DELAY, Schedule};

/// What an outcome by itself says about repeating the attempt. Whether attempts are left is
/// another question: [`RetryPolicy`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "a decision: each case has to be handled"
)]
pub enum Retryable {
    /// Repeating may help, but not before this time has passed (`Retry-After` on 429 and 503).
    After(Duration),
    /// Repeating cannot help, or nothing failed.
    No,
    /// Repeating may help.
    Yes,
}

/// How many reattempts follow the first attempt, and when (SPEC 2.2 *Retries*, SPEC 6 rule 3).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RetryPolicy {
    retries: u32,
    schedule: Schedule,
}

impl RetryPolicy {
    /// `retries` reattempts after the first attempt, on the default [`Schedule`].
    #[must_use]
    pub fn new(retries: u32) -> Self {
        Self {
            retries,
            schedule: Schedule::default(),
        }
    }

    /// The same number of reattempts on another schedule.
    #[must_use]
    pub fn with_schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// Reattempts after the first attempt.
    #[must_use]
    pub fn retries(&self) -> u32 {
        self.retries
    }

    /// The delays between attempts.
    #[must_use]
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The wait before the next attempt after `made` attempts, or `None` when there is no next
    /// one. A receiver's wish can only lengthen the schedule's delay, up to [`MAX_DELAY`].
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
