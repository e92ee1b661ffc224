use std::fmt;
use std::num::NonZeroU32;

use gatepost_ids::MinuteRate;

/// The maximum number of requests per minute of a limit.
const MOST: u32 = 1_000_000;

/// A limit of requests per minute, 1 to 1,000,000. They may be made all together; each is restored
/// after its share of a minute.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct RateLimit(NonZeroU32);

/// The reason why a number is not a [`RateLimit`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("must be 1 to {MOST} requests per minute")]
#[non_exhaustive]
pub struct RateLimitError;

impl RateLimit {
    /// Creates a limit of this many requests per minute.
    ///
    /// # Errors
    /// [`RateLimitError`] for 0 and for more than 1,000,000.
    pub fn per_minute(requests: u32) -> Result<Self, RateLimitError> {
        let requests = NonZeroU32::new(requests).filter(|requests| requests.get() <= MOST);
        requests.map(Self).ok_or(RateLimitError)
    }

    /// Returns the requests per minute.
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

    /// Converts the form that backends and the wire use.
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
