use apikey_core::RateLimit;

/// How many requests keys may make in one process; nothing is limited by default. Several processes
/// count apart: a key that reaches three of them may make three times as many.
///
/// A bucket holds a minute's requests, which may come all at once, and fills evenly.
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
    /// Of each key. A key may have a lower limit of its own, and none that is higher.
    pub per_key: Option<RateLimit>,
    /// Of all keys of one user together.
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

    /// What holds for a key with this limit of its own.
    #[must_use]
    pub fn of_key(&self, own: Option<RateLimit>) -> Option<RateLimit> {
        match (own, self.per_key) {
            (Some(own), Some(most)) => Some(own.min(most)),
            (own, most) => own.or(most),
        }
    }
}
