//! The limits of guessing.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

/// Shorter periods are raised to this.
const SHORTEST: Duration = Duration::from_millis(1);
/// Longer periods are lowered to this: a day.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The limit for failures of one address, one account, or one known pair of both.
///
/// A number of failures is free. Each further one blocks attempts: for the first delay, then for
/// twice as long each time, up to the maximum delay. Failures are forgiven one by one as time
/// passes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FailureLimit {
    burst: NonZeroU32,
    forgiven_every: Duration,
    first_delay: Duration,
    longest_delay: Duration,
}

impl FailureLimit {
    /// Creates a limit: `burst` failures are free, and one is forgiven after each period `every`.
    /// Delays grow from one second to a minute. Periods are limited to between a millisecond and a
    /// day.
    #[must_use]
    pub fn new(burst: NonZeroU32, every: Duration) -> Self {
        Self {
            burst,
            forgiven_every: every.clamp(SHORTEST, LONGEST),
            first_delay: Duration::from_secs(1),
            longest_delay: Duration::from_secs(60),
        }
    }

    /// Sets the first delay, which each further failure doubles, and the maximum.
    #[must_use]
    pub fn with_delays(mut self, first: Duration, longest: Duration) -> Self {
        self.first_delay = first.clamp(SHORTEST, LONGEST);
        self.longest_delay = longest.clamp(self.first_delay, LONGEST);
        self
    }

    pub(super) fn forgiven_every(&self) -> Duration {
        self.forgiven_every
    }

    /// Returns the number of failures that are forgiven in this time.
    pub(super) fn forgiven_in(&self, time: Duration) -> u32 {
        let forgiven = time.as_nanos() / self.forgiven_every.as_nanos();
        u32::try_from(forgiven).unwrap_or(u32::MAX)
    }

    /// Returns the delay after this number of failures.
    pub(super) fn delay(&self, failures: u32) -> Duration {
        let Some(beyond) = failures.checked_sub(self.burst.get()).filter(|n| *n > 0) else {
            return Duration::ZERO;
        };
        let doubled = 2u32.checked_pow(beyond - 1).unwrap_or(u32::MAX);
        self.first_delay
            .saturating_mul(doubled)
            .min(self.longest_delay)
    }

    /// Returns the number of failures after which the delay no longer grows. Further failures are
    /// not counted, so attempts are allowed again soon after the last one.
    pub(super) fn most(&self) -> u32 {
        let mut most = self.burst.get().saturating_add(1);
        while most < u32::MAX && self.delay(most) < self.longest_delay {
            most += 1;
        }
        most
    }
}

/// The limits of guessing in one process.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct GuessLimits {
    pub(super) address: FailureLimit,
    pub(super) account: FailureLimit,
    pub(super) known: FailureLimit,
    pub(super) remembered: NonZeroUsize,
}

impl GuessLimits {
    /// Sets the limit for failures from one address, or from a /64 of IPv6. By default 100 are
    /// free, one is forgiven every 10 seconds, and delays grow from 1 second to a minute.
    #[must_use]
    pub fn with_address(mut self, limit: FailureLimit) -> Self {
        self.address = limit;
        self
    }

    /// Sets the limit for failures with one account's name, from any address. By default 10 are
    /// free, one is forgiven every 10 minutes, and delays grow from 1 second to 15 minutes.
    #[must_use]
    pub fn with_account(mut self, limit: FailureLimit) -> Self {
        self.account = limit;
        self
    }

    /// Sets the limit for failures with an account's name from a network where that account has
    /// logged in before. By default 20 are free, one is forgiven every minute, and delays grow from
    /// 1 second to a minute. Failures from other networks do not count.
    #[must_use]
    pub fn with_known(mut self, limit: FailureLimit) -> Self {
        self.known = limit;
        self
    }

    /// Sets the maximum number of addresses, accounts and wrong secrets that are remembered, each
    /// by a hash of 64 bits. The default is 100,000 of each, at about 40 bytes, and up to 600 bytes
    /// for an account that has logged in. Beyond that, entries with the fewest failures are
    /// evicted, and for accounts that have logged in those with the oldest login.
    #[must_use]
    pub fn with_remembered(mut self, each: NonZeroUsize) -> Self {
        self.remembered = each;
        self
    }
}

impl Default for GuessLimits {
    fn default() -> Self {
        let number = |n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
        Self {
            address: FailureLimit::new(number(100), 10 * second),
            account: FailureLimit::new(number(10), 10 * minute).with_delays(second, 15 * minute),
            known: FailureLimit::new(number(20), minute),
            remembered: NonZeroUsize::new(100_000).unwrap_or(NonZeroUsize::MIN),
        }
    }
}
