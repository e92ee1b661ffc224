//! The format of `${DATE}`.

use std::fmt::{Debug, Display};

use chrono::{DateTime, TimeZone, Utc};

/// A time zone of chrono: a zone of `chrono-tz` has abbreviations, `FixedOffset` shows its offset.
pub trait Zone: Debug + Send + Sync {
    /// Formats a point in time as [`format_date`] does.
    fn date(&self, now: DateTime<Utc>) -> String;
}

impl<Z: TimeZone<Offset: Display> + Debug + Send + Sync> Zone for Z {
    fn date(&self, now: DateTime<Utc>) -> String {
        format_date(now, self)
    }
}

/// Formats a point in time as `${DATE}` shows it, in the platform's time zone: `Thu, 16 Oct 2025
/// 11:38:07 EDT`.
///
/// ```
/// let now = "2025-10-16T15:38:07Z".parse()?;
/// assert_eq!(webhook_model::format_date(now, &chrono_tz::America::New_York), "Thu, 16 Oct 2025 11:38:07 EDT");
/// # Ok::<(), chrono::ParseError>(())
/// ```
#[must_use]
pub fn format_date(now: DateTime<Utc>, zone: &impl TimeZone<Offset: Display>) -> String {
    now.with_timezone(zone)
        .format("%a, %d %b %Y %H:%M:%S %Z")
        .to_string()
}
