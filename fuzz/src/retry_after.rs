//! `Retry-After`: seconds or a date, never more than a day, never in the past.

use std::time::Duration;

use chrono::DateTime;
use delivery::parse_retry_after;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) fn holds(input: (i64, &[u8])) {
    let (seconds, value) = input;
    let Some(now) = DateTime::from_timestamp(seconds, 0) else {
        return;
    };
    let parsed = parse_retry_after(value, now);
    assert!(parsed.is_none_or(|wait| wait <= DAY));
    let text = std::str::from_utf8(value).unwrap_or_default();
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        let wanted = text.parse().map_or(DAY, Duration::from_secs).min(DAY);
        assert_eq!(parsed, Some(wanted), "{text}");
    }
    if let (Some(wait), true) = (parsed, text.contains("GMT")) {
        // A date is the same moment, whenever it is read.
        let later = parse_retry_after(value, now + chrono::TimeDelta::seconds(1));
        let expected = wait.saturating_sub(Duration::from_secs(1));
        assert!(
            later.is_some_and(|later| later == expected || wait == DAY),
            "{text}"
        );
    }
}
