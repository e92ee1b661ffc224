//! The `Retry-After` header of a response (RFC 9110 §10.2.3).

use std::time::Duration;

use chrono::{DateTime, Utc};

use super::schedule::MAX_DELAY;

/// Parses the time that a receiver asks to wait, counted from `now`.
///
/// It accepts a number of seconds (digits only) and the three forms of a date (RFC 9110 §5.6.7),
/// such as `Sun, 06 Nov 1994 08:49:37 GMT`. Signs, fractions, lists and dates in the past are
/// invalid: `None`. The result is at most [`MAX_DELAY`].
///
/// ```
/// use std::time::Duration;
/// let now = chrono::DateTime::from_timestamp(784_111_777, 0).unwrap();
/// assert_eq!(delivery::parse_retry_after(b"120", now), Some(Duration::from_secs(120)));
/// assert_eq!(
///     delivery::parse_retry_after(b"Sun, 06 Nov 1994 08:50:37 GMT", now),
///     Some(Duration::from_secs(60)),
/// );
/// assert_eq!(delivery::parse_retry_after(b"soon", now), None);
/// ```
#[must_use]
pub fn parse_retry_after(value: &[u8], now: DateTime<Utc>) -> Option<Duration> {
    let text = std::str::from_utf8(value).ok()?;
    let wait = if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        // More digits than fit a u64 are still a number of seconds: a very long wait.
        Duration::from_secs(text.parse().unwrap_or(u64::MAX))
    } else {
        let at = httpdate::parse_http_date(text).ok()?;
        (DateTime::<Utc>::from(at) - now).to_std().ok()?
    };
    Some(wait.min(MAX_DELAY))
}
