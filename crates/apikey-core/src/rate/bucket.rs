//! The token bucket of a key, of which one number is stored: when it will be full again.

use std::time::Duration;

use super::limit::RateLimit;

/// When a bucket will be full: nanoseconds of a clock that is not set. 0 of one that was never
/// drawn from.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[allow(clippy::exhaustive_structs, reason = "a number and nothing else")]
pub struct Level(pub u64);

/// What is left after a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Drawn {
    /// The new level, to be stored.
    pub level: Level,
    /// How many more requests there is room for now.
    pub remaining: u32,
    /// After how long there is room for a minute's requests again.
    pub full_in: Duration,
}

/// There is no room for a request. The level stays as it was.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Empty {
    /// After how long there is room for one.
    pub retry_after: Duration,
}

impl Level {
    /// Takes room for one request, at this time of the clock.
    ///
    /// A bucket that was drawn from under a lower limit owes no more than a minute of this one.
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

    /// Whether nothing is lost if the bucket is forgotten.
    #[must_use]
    pub fn is_full(self, now: Duration) -> bool {
        self.0 <= nanos(now)
    }
}

#[inline]
fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
