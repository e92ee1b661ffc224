//! Slows guessing down, by address, without a way to lock an owner out: only failures count, and a
//! good key is never asked how many there were.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// So many addresses are remembered at the most.
const MOST: usize = 100_000;

/// How many failures an address is allowed before they are answered 429.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FailureLimit {
    /// Failures at once.
    pub burst: NonZeroU32,
    /// Failures a minute after that.
    pub per_minute: NonZeroU32,
}

impl Default for FailureLimit {
    /// 100 at once, 60 a minute.
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
        if self.0.len() >= MOST {
            self.0.retain_recent();
            if self.0.len() >= MOST {
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
