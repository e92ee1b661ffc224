//! How much guessing is free, and what more of it costs.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

/// Shorter spans than this are as long.
const SHORTEST: Duration = Duration::from_millis(1);
/// Longer ones too: a day.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// What the failures of one address, one account, or one known pair of both cost.
///
/// A number of failures is free. Each one after that shuts the door: for the first delay, then for
/// twice as long each time, up to the longest. Failures are forgiven one by one as time passes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FailureLimit {
    burst: NonZeroU32,
    forgiven_every: Duration,
    first_delay: Duration,
    longest_delay: Duration,
}

impl FailureLimit {
    /// `burst` failures are free; `every` is the time after which one is forgiven. Delays begin at
    /// one second and end at a minute. Spans are kept between a millisecond and a day.
    #[must_use]
    pub fn new(burst: NonZeroU32, every: Duration) -> Self {
        Self {
            burst,
            forgiven_every: every.clamp(SHORTEST, LONGEST),
            first_delay: Duration::from_secs(1),
            longest_delay: Duration::from_secs(60),
        }
    }

    /// Sets the first delay, which is doubled by each further failure, and the longest.
    #[must_use]
    pub fn with_delays(mut self, first: Duration, longest: Duration) -> Self {
        self.first_delay = first.clamp(SHORTEST, LONGEST);
        self.longest_delay = longest.clamp(self.first_delay, LONGEST);
        self
    }

    pub(super) fn forgiven_every(&self) -> Duration {
        self.forgiven_every
    }

    /// Failures that are forgiven in this time.
    pub(super) fn forgiven_in(&self, time: Duration) -> u32 {
        let forgiven = time.as_nanos() / self.forgiven_every.as_nanos();
        u32::try_from(forgiven).unwrap_or(u32::MAX)
    }

    /// How long the door is shut after this number of failures.
    pub(super) fn delay(&self, failures: u32) -> Duration {
        let Some(beyond) = failures.checked_sub(self.burst.get()).filter(|n| *n > 0) else {
            return Duration::ZERO;
        };
        let doubled = 2u32.checked_pow(beyond - 1).unwrap_or(u32::MAX);
        self.first_delay
            .saturating_mul(doubled)
            .min(self.longest_delay)
    }

    /// More failures than this cost no more, and are not counted: so the door opens soon after the
    /// last of them.
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
    /// Sets what failures from one address cost, an IPv6 address standing for its /64: by default
    /// 100 are free, one is forgiven every 10 seconds, and delays grow from 1 second to a minute.
    #[must_use]
    pub fn with_address(mut self, limit: FailureLimit) -> Self {
        self.address = limit;
        self
    }

    /// Sets what failures with one account's name cost, wherever they come from: by default 10 are
    /// free, one is forgiven every 10 minutes, and delays grow from 1 second to 15 minutes.
    #[must_use]
    pub fn with_account(mut self, limit: FailureLimit) -> Self {
        self.account = limit;
        self
    }

    /// Sets what failures with an account's name cost from where that account has logged in
    /// before: by default 20 are free, one is forgiven every minute, and delays grow from 1 second
    /// to a minute. Failures of others, here or elsewhere, do not count.
    #[must_use]
    pub fn with_known(mut self, limit: FailureLimit) -> Self {
        self.known = limit;
        self
    }

    /// Sets how many addresses, accounts and wrong secrets are remembered at most, each by a hash
    /// of 64 bits: 100,000 of each by default, about 40 bytes each, and up to 600 for an account
    /// that has logged in. Where there are more, those with the fewest failures are forgotten, and
    /// of accounts that have logged in those that did so longest ago.
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
