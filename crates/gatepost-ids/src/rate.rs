//! The arithmetic of what a minute allows.

use std::num::NonZeroU32;

const MINUTE: u64 = 60_000_000_000;

/// What a minute allows, as a token bucket that is one number (GCRA, ITU-T I.371): for how many
/// nanoseconds it will not be full. It is full at the beginning, and holds what a minute makes
/// good.
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
    /// This number in a minute.
    #[must_use]
    pub const fn new(in_a_minute: NonZeroU32) -> Self {
        Self(in_a_minute)
    }

    /// After how many nanoseconds one is made good.
    #[inline]
    #[must_use]
    pub const fn each(self) -> u64 {
        MINUTE / self.0.get() as u64
    }

    /// For how many nanoseconds an empty bucket is not full.
    #[inline]
    #[must_use]
    pub const fn whole(self) -> u64 {
        self.each() * self.0.get() as u64
    }

    /// Draws this number from a bucket that will not be full for these nanoseconds; returns for how
    /// many it will not be full then. More than a minute allows is drawn from a full bucket, and
    /// made good before anything else is drawn.
    ///
    /// # Errors
    /// After how many nanoseconds it can be drawn.
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
