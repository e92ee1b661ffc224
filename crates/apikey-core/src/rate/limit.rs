use std::fmt;
use std::num::NonZeroU32;

use gatepost_ids::MinuteRate;

/// The most requests a minute that a limit can name.
const MOST: u32 = 1_000_000;

/// A limit of requests: this many a minute. They may come all at once; each is made good after a
/// minute's share. 1 to 1,000,000.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct RateLimit(NonZeroU32);

/// Why a number is no [`RateLimit`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("must be 1 to {MOST} requests per minute")]
#[non_exhaustive]
pub struct RateLimitError;

impl RateLimit {
    /// This many requests a minute.
    ///
    /// # Errors
    /// [`RateLimitError`] of 0 and of more than 1,000,000.
    pub fn per_minute(requests: u32) -> Result<Self, RateLimitError> {
        let requests = NonZeroU32::new(requests).filter(|requests| requests.get() <= MOST);
        requests.map(Self).ok_or(RateLimitError)
    }

    /// Requests a minute.
    #[must_use]
    pub fn requests(self) -> u32 {
        self.0.get()
    }

    pub(super) fn of_a_minute(self) -> MinuteRate {
        MinuteRate::new(self.0)
    }
}

impl fmt::Display for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} requests per minute", self.0)
    }
}

impl TryFrom<i64> for RateLimit {
    type Error = RateLimitError;

    /// As backends and the wire hold it.
    fn try_from(requests: i64) -> Result<Self, RateLimitError> {
        let requests = u32::try_from(requests).map_err(|_| RateLimitError)?;
        Self::per_minute(requests)
    }
}

impl From<RateLimit> for i64 {
    fn from(limit: RateLimit) -> Self {
        limit.requests().into()
    }
}
