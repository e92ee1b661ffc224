//! The format of `${DATE}`.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

/// Formats a point in time as `${DATE}` shows it, in the platform's time zone: `Thu, 16 Oct 2025
/// 11:38:07 EDT`.
///
/// ```
/// let now = "2025-10-16T15:38:07Z".parse()?;
/// assert_eq!(webhook_model::format_date(now, chrono_tz::America::New_York), "Thu, 16 Oct 2025 11:38:07 EDT");
/// # Ok::<(), chrono::ParseError>(())
/// ```
#[must_use]
pub fn format_date(now: DateTime<Utc>, zone: Tz) -> String {
    now.with_timezone(&zone)
        .format("%a, %d %b %Y %H:%M:%S %Z")
        .to_string()
}
