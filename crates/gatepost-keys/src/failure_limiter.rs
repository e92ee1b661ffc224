//! Slows guessing down, by address, without a way to lock an owner out: only failures count, and a
//! good key is never asked how many there were.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// How many addresses are remembered at most.
const MAX_ADDRESSES: usize = 100_000;

/// How many failures an address is allowed before the response to them is 429.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct FailureLimit {
    /// Failures at once; 100 by default.
    pub burst: NonZeroU32,
    /// Failures per minute after that; 60 by default.
    pub per_minute: NonZeroU32,
}

impl FailureLimit {
    /// Sets how many failures are allowed at once.
    #[must_use]
    pub fn with_burst(mut self, failures: NonZeroU32) -> Self {
        self.burst = failures;
        self
    }

    /// Sets how many failures per minute are allowed after that.
    #[must_use]
    pub fn with_per_minute(mut self, failures: NonZeroU32) -> Self {
        self.per_minute = failures;
        self
    }
}

impl Default for FailureLimit {
    /// 100 at once, 60 per minute.
    fn default() -> Self {
        let number = |n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        Self {
            burst: number(100),
            per_minute: number(60),
        }
    }
}

pub(crate) struct FailureLimiter(DefaultKeyedRateLimiter<IpAddr>);

impl FailureLimiter {
    pub(crate) fn new(limit: FailureLimit) -> Self {
        Self(RateLimiter::keyed(
            Quota::per_minute(limit.per_minute).allow_burst(limit.burst),
        ))
    }

    /// Counts a failure; whether it is one too many.
    pub(crate) fn failed(&self, from: IpAddr) -> bool {
        if self.0.len() >= MAX_ADDRESSES {
            self.0.retain_recent();
            if self.0.len() >= MAX_ADDRESSES {
                return true;
            }
        }
        self.0.check_key(&network(from)).is_err()
    }
}

impl fmt::Debug for FailureLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FailureLimiter")
            .field("addresses", &self.0.len())
            .finish()
    }
}

/// A client has one IPv4 address, but a whole /64 of IPv6.
fn network(addr: IpAddr) -> IpAddr {
    match addr.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64))),
        v4 => v4,
    }
}
