use apikey_core::RateLimit;

/// The limits for requests of keys in one process; by default there are none. Processes count
/// separately: a key that reaches three of them may make three times as many requests.
///
/// A bucket holds the requests of a minute, which may be made all together, and refills evenly.
///
/// ```
/// use gatepost_keys::{RateLimit, RequestLimits};
/// let limits = RequestLimits::default()
///     .with_per_key(RateLimit::per_minute(600)?)
///     .with_per_owner(RateLimit::per_minute(3_000)?);
/// # Ok::<(), gatepost_keys::RateLimitError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct RequestLimits {
    /// The limit of each key. A key may have a lower limit, but not a higher one.
    pub per_key: Option<RateLimit>,
    /// The limit of all keys of one user together.
    pub per_owner: Option<RateLimit>,
}

impl RequestLimits {
    /// Sets [`per_key`](Self::per_key).
    #[must_use]
    pub fn with_per_key(self, limit: RateLimit) -> Self {
        Self {
            per_key: Some(limit),
            ..self
        }
    }

    /// Sets [`per_owner`](Self::per_owner).
    #[must_use]
    pub fn with_per_owner(self, limit: RateLimit) -> Self {
        Self {
            per_owner: Some(limit),
            ..self
        }
    }

    /// Returns the limit of a key with this individual limit.
    #[must_use]
    pub fn of_key(&self, own: Option<RateLimit>) -> Option<RateLimit> {
        match (own, self.per_key) {
            (Some(own), Some(most)) => Some(own.min(most)),
            (own, most) => own.or(most),
        }
    }
}
