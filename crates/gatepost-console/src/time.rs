//! Points in time and durations in words. Without the script all times are UTC, and labelled so;
//! the script adds the user's own zone.

use std::time::Duration;

use chrono::{DateTime, Datelike as _, FixedOffset, NaiveDateTime, TimeDelta, Utc};
use maud::{Markup, html};

use crate::texts::Texts;

/// The format of a browser's date and time field.
const FIELD: &str = "%Y-%m-%dT%H:%M";
/// The length of `+01:00`.
const ZONE_LENGTH: usize = 6;

/// Renders `2026-11-21 02:04:07 UTC, 3 minutes ago`. The script adds the time in the user's zone
/// before UTC, and updates the distance.
pub(crate) fn stamp(texts: &Texts, at: DateTime<Utc>, now: DateTime<Utc>) -> Markup {
    let text = at.format("%Y-%m-%d %H:%M:%S").to_string();
    html! { span.at { time datetime=(exact(at)) { (text) } " " span.quiet { (texts.with("frame-time-utc", &[("distance", distance(texts, at, now).into())])) } } }
}

/// Renders the distance of a moment: `in 27 seconds`. The script updates it.
pub(crate) fn away(texts: &Texts, at: DateTime<Utc>, now: DateTime<Utc>) -> Markup {
    let title = format!("{} UTC", at.format("%Y-%m-%d %H:%M:%S"));
    html! { time.away datetime=(exact(at)) title=(title) { (distance(texts, at, now)) } }
}

/// Renders an hour on a chart, or its day: `14:00`, `11-21`. The script shows it in the user's
/// zone.
pub(crate) fn tick(at: DateTime<Utc>, is_day: bool) -> Markup {
    let text = at
        .format(if is_day { "%m-%d" } else { "%H:%M" })
        .to_string();
    html! { time.tick.day[is_day] datetime=(exact(at)) { (text) } }
}

/// Returns a moment for the script, to the second: `2026-11-21T02:04:07Z`.
pub(crate) fn exact(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

/// Renders `2026-11-21 02:04 UTC`, for a moment whose distance other words say.
pub(crate) fn moment(at: DateTime<Utc>) -> Markup {
    let text = at.format("%Y-%m-%d %H:%M UTC").to_string();
    html! { time.moment datetime=(exact(at)) { (text) } }
}

/// Returns a text such as `3 minutes ago`, `in 2 days`.
pub(crate) fn distance(texts: &Texts, at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let past = at <= now;
    let span = (now - at).abs();
    let (count, past_name, future_name) = match () {
        () if span < TimeDelta::seconds(1) => return texts.of("frame-time-now").into_owned(),
        () if span < TimeDelta::minutes(1) => (
            span.num_seconds(),
            "frame-time-seconds-ago",
            "frame-time-in-seconds",
        ),
        () if span < TimeDelta::hours(1) => (
            span.num_minutes(),
            "frame-time-minutes-ago",
            "frame-time-in-minutes",
        ),
        () if span < TimeDelta::days(1) => (
            span.num_hours(),
            "frame-time-hours-ago",
            "frame-time-in-hours",
        ),
        () => (span.num_days(), "frame-time-days-ago", "frame-time-in-days"),
    };
    let name = if past { past_name } else { future_name };
    texts.with(name, &[("count", count.into())])
}

/// Returns a text such as `under 1 ms`, `41 ms`, `2.4 s`.
pub(crate) fn span(texts: &Texts, span: Duration) -> String {
    if span < Duration::from_millis(1) {
        texts.of("frame-time-under-millisecond").into_owned()
    } else if span < Duration::from_secs(1) {
        let millis = u64::from(span.subsec_millis());
        texts.with("frame-time-milliseconds", &[("count", millis.into())])
    } else {
        let seconds = texts.decimal(span.as_secs_f64(), 1);
        texts.with("frame-time-seconds", &[("count", seconds.into())])
    }
}

/// Returns the value of a date field.
pub(crate) fn field(at: DateTime<Utc>) -> String {
    at.format(FIELD).to_string()
}

/// Returns the name of the hidden field next to a date field: the zone in which it was filled in,
/// as `+01:00`. The script sets it; without it, the field is empty and the date is in UTC.
pub(crate) fn zone_field(name: &str) -> String {
    format!("{name}_zone")
}

/// Splits the text that [`Form::date`](crate::form::Form::date) read into the date and its zone.
pub(crate) fn split_field(text: &str) -> (&str, &str) {
    let zone = text.len().checked_sub(ZONE_LENGTH);
    match zone.and_then(|at| text.split_at_checked(at)) {
        Some((date, zone)) if date.contains('T') && zone.starts_with(['+', '-']) => (date, zone),
        _ => (text, ""),
    }
}

/// Parses a date field, with or without seconds, in its zone or else as UTC.
pub(crate) fn parse_field(text: &str) -> Option<DateTime<Utc>> {
    let (date, zone) = split_field(text);
    let time = NaiveDateTime::parse_from_str(date, FIELD)
        .or_else(|_| NaiveDateTime::parse_from_str(date, "%Y-%m-%dT%H:%M:%S"))
        .ok()?;
    let zone = if zone.is_empty() { "+00:00" } else { zone };
    let zone: FixedOffset = zone.parse().ok()?;
    let at = time.and_local_timezone(zone).single()?;
    // Clients cannot parse a later time.
    let at = Some(at).filter(|at| at.year() <= 9999)?;
    Some(at.with_timezone(&Utc))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_in_the_unit_that_fits() {
        let now: DateTime<Utc> = "2026-11-21T12:00:00Z".parse().unwrap();
        let texts = Texts::english();
        let ago = |seconds| distance(&texts, now - TimeDelta::seconds(seconds), now);
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
        for wrong in [
            "",
            "2026-11-21",
            "soon",
            "2026-13-01T00:00",
            "+58877-01-01T00:00",
            "2026-11-21T12:34+99:00",
            "2026-11-21T12:34+aé:00",
        ] {
            assert_eq!(parse_field(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn date_field_is_read_in_its_own_zone() {
        let (there, utc) = ("2026-11-21T12:34+05:30", "2026-11-21T07:04");
        assert_eq!(split_field(there), ("2026-11-21T12:34", "+05:30"));
        assert_eq!(split_field(utc), (utc, ""));
        assert!(parse_field(there).is_some());
        assert_eq!(parse_field(there), parse_field(utc));
    }
}
