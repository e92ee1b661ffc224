//! The arithmetic of a token bucket that is one number (GCRA, ITU-T I.371): when it will be full
//! again. A bucket holds what a minute makes good, and is full at the beginning.

use std::time::Duration;

use super::limit::RateLimit;

const MINUTE: u64 = 60_000_000_000;

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
        let (now, each) = (nanos(now), MINUTE / u64::from(limit.requests()));
        let whole = each * u64::from(limit.requests());
        let full = self.0.clamp(now, now.saturating_add(whole)) - now + each;
        match whole.checked_sub(full) {
            Some(left) => Ok(Drawn {
                level: Self(now.saturating_add(full)),
                remaining: u32::try_from(left / each).unwrap_or(u32::MAX),
                full_in: Duration::from_nanos(full),
            }),
            None => Err(Empty {
                retry_after: Duration::from_nanos(full - whole),
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
