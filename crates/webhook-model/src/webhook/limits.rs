//! Numbers that cannot hold what is not allowed.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::error::{Field, Invalid};

/// How long to wait for a response: 3 to 120 whole seconds, 5 by default (SPEC 2.2, SPEC 8).
///
/// A literal does not make one, so none is out of range:
///
/// ```
/// assert!(webhook_model::Timeout::from_secs(2).is_err());
/// ```
/// ```compile_fail,E0423
/// let timeout = webhook_model::Timeout(2);
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Timeout(u8);

impl Timeout {
    /// The shortest.
    pub const MIN: Self = Self(3);
    /// The longest.
    pub const MAX: Self = Self(120);

    /// A timeout in whole seconds.
    ///
    /// # Errors
    /// Below 3 or above 120.
    pub fn from_secs(seconds: u64) -> Result<Self, Invalid> {
        match u8::try_from(seconds) {
            Ok(seconds @ 3..=120) => Ok(Self(seconds)),
            Ok(0..=2) => Err(Invalid::new(Field::Timeout, "must be 3 or greater")),
            _ => Err(Invalid::new(Field::Timeout, "must be 120 or less")),
        }
    }

    /// In seconds.
    #[must_use]
    pub fn as_secs(self) -> u64 {
        self.0.into()
    }

    /// As a duration.
    #[must_use]
    pub fn as_duration(self) -> Duration {
        Duration::from_secs(self.as_secs())
    }
}

/// Signed numbers, as databases and JSON have them.
impl TryFrom<i64> for Timeout {
    type Error = Invalid;

    fn try_from(number: i64) -> Result<Self, Invalid> {
        match u64::try_from(number) {
            Ok(number) => Self::from_secs(number),
            Err(_) => Err(Invalid::new(Field::Timeout, "must be 3 or greater")),
        }
    }
}

impl Default for Timeout {
    fn default() -> Self {
        Self(5)
    }
}

/// Reattempts after the first attempt: 0 to 100, 3 by default (SPEC 2.2).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Retries(u8);

impl Retries {
    /// A number of reattempts.
    ///
    /// # Errors
    /// Above 100.
    pub fn new(retries: u64) -> Result<Self, Invalid> {
        match u8::try_from(retries) {
            Ok(retries @ 0..=100) => Ok(Self(retries)),
            _ => Err(Invalid::new(Field::Retries, "must be 100 or less")),
        }
    }

    /// The number of reattempts.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0.into()
    }
}

/// Signed numbers, as databases and JSON have them.
impl TryFrom<i64> for Retries {
    type Error = Invalid;

    fn try_from(number: i64) -> Result<Self, Invalid> {
        match u64::try_from(number) {
            Ok(number) => Self::new(number),
            Err(_) => Err(Invalid::new(Field::Retries, "must be 0 or greater")),
        }
    }
}

impl Default for Retries {
    fn default() -> Self {
        Self(3)
    }
}

/// The most requests a second to one webhook.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct RateLimit(NonZeroU32);

impl RateLimit {
    /// A number of requests a second.
    ///
    /// # Errors
    /// 0, or above 10,000.
    pub fn per_second(requests: u32) -> Result<Self, Invalid> {
        match NonZeroU32::new(requests) {
            Some(rate) if requests <= 10_000 => Ok(Self(rate)),
            _ => Err(Invalid::new(
                Field::RateLimit,
                "must be 1 to 10000 requests a second",
            )),
        }
    }

    /// Requests a second.
    #[must_use]
    pub fn get(self) -> NonZeroU32 {
        self.0
    }
}
