//! Numeric limits, as types that hold only valid values.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::error::{Field, Invalid};

/// A response timeout: 3 to 120 whole seconds, 5 by default (SPEC 2.2, SPEC 8).
///
/// It cannot be constructed from a literal, so every value is in range:
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
    /// The minimum.
    pub const MIN: Self = Self(3);
    /// The maximum.
    pub const MAX: Self = Self(120);

    /// Creates a timeout from whole seconds.
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

    /// Returns the timeout in seconds.
    #[must_use]
    pub fn as_secs(self) -> u64 {
        self.0.into()
    }

    /// Returns the timeout as a duration.
    #[must_use]
    pub fn as_duration(self) -> Duration {
        Duration::from_secs(self.as_secs())
    }
}

/// Converts signed numbers, as in databases and JSON.
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

/// The number of reattempts after the first attempt: 0 to 100, 3 by default (SPEC 2.2).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Retries(u8);

impl Retries {
    /// Creates it from a number.
    ///
    /// # Errors
    /// Above 100.
    pub fn new(retries: u64) -> Result<Self, Invalid> {
        match u8::try_from(retries) {
            Ok(retries @ 0..=100) => Ok(Self(retries)),
            _ => Err(Invalid::new(Field::Retries, "must be 100 or less")),
        }
    }

    /// Returns the number of reattempts.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0.into()
    }
}

/// Converts signed numbers, as in databases and JSON.
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

/// The maximum number of requests per second to one webhook.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct RateLimit(NonZeroU32);

impl RateLimit {
    /// Creates it from a number of requests per second.
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

    /// Returns the requests per second.
    #[must_use]
    pub fn get(self) -> NonZeroU32 {
        self.0
    }
}
