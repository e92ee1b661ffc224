//! Rate limits per minute.

use std::num::NonZeroU32;

const MINUTE: u64 = 60_000_000_000;

/// A rate limit per minute: a token bucket whose state is a single number (GCRA, ITU-T I.371), the
/// nanoseconds until the bucket is full again. The bucket starts full and refills within a minute.
///
/// ```
/// use std::num::NonZeroU32;
/// let rate = gatepost_ids::MinuteRate::new(NonZeroU32::MIN);
/// let not_full_for = rate.draw(0, 1).unwrap();
/// assert_eq!(not_full_for, 60_000_000_000);
/// let retry_after = rate.draw(not_full_for, 1).unwrap_err();
/// assert_eq!(retry_after, 60_000_000_000);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct MinuteRate(NonZeroU32);

impl MinuteRate {
    /// Creates a rate of this number per minute.
    #[must_use]
    pub const fn new(in_a_minute: NonZeroU32) -> Self {
        Self(in_a_minute)
    }

    /// Returns the nanoseconds in which one token is refilled.
    #[inline]
    #[must_use]
    pub const fn each(self) -> u64 {
        MINUTE / self.0.get() as u64
    }

    /// Returns the nanoseconds in which an empty bucket is refilled.
    #[inline]
    #[must_use]
    pub const fn whole(self) -> u64 {
        self.each() * self.0.get() as u64
    }

    /// Draws `count` tokens from a bucket that is full in `not_full_for` nanoseconds, and returns
    /// the nanoseconds until it is full after that. More tokens than a minute allows are drawn from
    /// a full bucket, and must be refilled before anything else is drawn.
    ///
    /// # Errors
    /// The nanoseconds after which the tokens can be drawn.
    #[inline]
    pub fn draw(self, not_full_for: u64, count: u32) -> Result<u64, u64> {
        let of = |count: u32| self.each().saturating_mul(u64::from(count));
        let needed = not_full_for.saturating_add(of(count.min(self.0.get())));
        if needed > self.whole() {
            return Err(needed - self.whole());
        }
        Ok(not_full_for.saturating_add(of(count)))
    }
}
