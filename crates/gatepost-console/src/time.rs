//! Points in time and durations as people read them. All times are UTC, and labelled so.

use std::time::Duration;

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use maud::{Markup, html};

/// The format of a browser's date and time field.
const FIELD: &str = "%Y-%m-%dT%H:%M";

/// `2026-11-21 02:04:07 UTC, 3 minutes ago`. The script puts the reader's own zone before UTC, and
/// lets the distance tick.
pub(crate) fn stamp(at: DateTime<Utc>, now: DateTime<Utc>) -> Markup {
    let text = at.format("%Y-%m-%d %H:%M:%S").to_string();
    html! { span.at { time datetime=(exact(at)) { (text) } " " span.quiet { "UTC, " (distance(at, now)) } } }
}

/// How far away a moment is, by itself: `in 27 seconds`. The script lets it tick.
pub(crate) fn away(at: DateTime<Utc>, now: DateTime<Utc>) -> Markup {
    let title = format!("{} UTC", at.format("%Y-%m-%d %H:%M:%S"));
    html! { time.away datetime=(exact(at)) title=(title) { (distance(at, now)) } }
}

/// A moment for the script, to the second: `2026-11-21T02:04:07Z`.
pub(crate) fn exact(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

/// As [`stamp`], or a word for never.
pub(crate) fn stamp_or(at: Option<DateTime<Utc>>, now: DateTime<Utc>, never: &str) -> Markup {
    html! { @match at { Some(at) => (stamp(at, now)), None => span.quiet { (never) } } }
}

/// `3 minutes ago`, `in 2 days`.
pub(crate) fn distance(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let past = at <= now;
    let span = (now - at).abs();
    let (count, unit) = match () {
        () if span < TimeDelta::minutes(1) => (span.num_seconds(), "second"),
        () if span < TimeDelta::hours(1) => (span.num_minutes(), "minute"),
        () if span < TimeDelta::days(1) => (span.num_hours(), "hour"),
        () => (span.num_days(), "day"),
    };
    let plural = if count == 1 { "" } else { "s" };
    match (count, past) {
        (0, _) => "now".into(),
        (_, true) => format!("{count} {unit}{plural} ago"),
        (_, false) => format!("in {count} {unit}{plural}"),
    }
}

/// `under 1 ms`, `41 ms`, `2.4 s`.
pub(crate) fn span(span: Duration) -> String {
    if span < Duration::from_millis(1) {
        "under 1 ms".into()
    } else if span < Duration::from_secs(1) {
        format!("{} ms", span.as_millis())
    } else {
        format!("{:.1} s", span.as_secs_f64())
    }
}

/// The value of a date field.
pub(crate) fn field(at: DateTime<Utc>) -> String {
    at.format(FIELD).to_string()
}

/// Reads a date field, with or without seconds, as UTC.
pub(crate) fn parse_field(text: &str) -> Option<DateTime<Utc>> {
    NaiveDateTime::parse_from_str(text, FIELD)
        .or_else(|_| NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S"))
        .ok()
        .map(|time| time.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_in_the_unit_that_fits() {
        let now: DateTime<Utc> = "2026-11-21T12:00:00Z".parse().unwrap();
        let ago = |seconds| distance(now - TimeDelta::seconds(seconds), now);
        assert_eq!(ago(0), "now");
        assert_eq!(ago(1), "1 second ago");
        assert_eq!(ago(3599), "59 minutes ago");
        assert_eq!(ago(3600), "1 hour ago");
        assert_eq!(ago(86_400 * 2), "2 days ago");
        assert_eq!(ago(-60), "in 1 minute");
    }

    #[test]
    fn date_fields_are_read_as_they_are_written() {
        let at: DateTime<Utc> = "2026-11-21T12:34:00Z".parse().unwrap();
        assert_eq!(parse_field(&field(at)), Some(at));
        assert_eq!(parse_field("2026-11-21T12:34:00"), Some(at));
        for wrong in ["", "2026-11-21", "soon", "2026-13-01T00:00"] {
            assert_eq!(parse_field(wrong), None, "{wrong}");
        }
    }
}
