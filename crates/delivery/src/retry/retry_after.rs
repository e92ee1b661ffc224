//! The `Retry-After` header of a response (RFC 9110 §10.2.3).

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};

use super::schedule::MAX_DELAY;

/// How long a receiver asks to be left alone, counted from `now`.
///
/// Takes what RFC 9110 lets a sender of today write and nothing else: a number of seconds
/// (digits only), or an IMF-fixdate such as `Sun, 06 Nov 1994 08:49:37 GMT`. The obsolete date
/// forms, signs, fractions and lists are no wish at all: `None`. A date in the past is zero, and
/// nothing is longer than [`MAX_DELAY`].
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
        until(imf_fixdate(text)?, now)
    };
    Some(wait.min(MAX_DELAY))
}

/// The point in time of an IMF-fixdate (RFC 9110 §5.6.7), in whole seconds of the epoch.
fn imf_fixdate(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let shaped = bytes.len() == 29 && bytes.get(3) == Some(&b',') && text.ends_with(" GMT");
    if !shaped {
        return None;
    }
    let at = httpdate::parse_http_date(text).ok()?;
    // httpdate forgives letter case and wrong weekdays; the grammar does not.
    if httpdate::fmt_http_date(at) != text {
        return None;
    }
    let since = at.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

fn until(at: i64, now: DateTime<Utc>) -> Duration {
    let millis = at
        .saturating_mul(1000)
        .saturating_sub(now.timestamp_millis());
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}
