//! The token bucket of a key. Its state is one number: the time at which it is full again.

use std::time::Duration;

use super::limit::RateLimit;

/// The time at which a bucket is full, in nanoseconds of a monotonic clock. 0 for an unused bucket.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[allow(clippy::exhaustive_structs, reason = "a number and nothing else")]
pub struct Level(pub u64);

/// The state after a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Drawn {
    /// The new level, to be stored.
    pub level: Level,
    /// The number of further requests that are allowed now.
    pub remaining: u32,
    /// The time until the requests of a whole minute are allowed again.
    pub full_in: Duration,
}

/// The error for an empty bucket. The level is unchanged.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Empty {
    /// The time until one request is allowed.
    pub retry_after: Duration,
}

impl Level {
    /// Charges one request at this time of the clock.
    ///
    /// If the limit was lower at earlier requests, at most a minute of the current limit remains
    /// charged.
    ///
    /// # Errors
    /// [`Empty`].
    #[inline]
    pub fn draw(self, limit: RateLimit, now: Duration) -> Result<Drawn, Empty> {
        let (now, rate) = (nanos(now), limit.of_a_minute());
        let owed = self.0.clamp(now, now.saturating_add(rate.whole())) - now;
        match rate.draw(owed, 1) {
            Ok(owed) => Ok(Drawn {
                level: Self(now.saturating_add(owed)),
                remaining: u32::try_from((rate.whole() - owed) / rate.each()).unwrap_or(u32::MAX),
                full_in: Duration::from_nanos(owed),
            }),
            Err(retry_after) => Err(Empty {
                retry_after: Duration::from_nanos(retry_after),
            }),
        }
    }

    /// Returns whether the bucket can be dropped without an effect.
    #[must_use]
    pub fn is_full(self, now: Duration) -> bool {
        self.0 <= nanos(now)
    }
}

#[inline]
fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
