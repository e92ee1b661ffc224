//! How much time the charts of a webhook show.

use std::borrow::Cow;

use chrono::{DateTime, TimeDelta, Utc};
use fluent_bundle::FluentValue;

use super::counts::beginning;
use crate::texts::Texts;

/// A range of time up to now, in equal parts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Range {
    #[default]
    Day,
    Week,
    Month,
}

impl Range {
    pub(super) const ALL: [Self; 3] = [Self::Day, Self::Week, Self::Month];

    /// Its word in an address; a day where nothing else is known.
    pub(super) fn parse(word: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|range| range.as_str() == word).unwrap_or_default()
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Day => "24h",
            Self::Week => "7d",
            Self::Month => "30d",
        }
    }

    /// Which of its words a text chooses.
    pub(super) fn variant(self) -> FluentValue<'static> {
        let name = match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        };
        name.into()
    }

    /// What the link to it says.
    pub(super) fn short(self, texts: &Texts) -> Cow<'_, str> {
        match self {
            Self::Day => texts.of("webhooks-range-day"),
            Self::Week => texts.of("webhooks-range-week"),
            Self::Month => texts.of("webhooks-range-month"),
        }
    }

    /// How many parts it has.
    pub(super) fn parts(self) -> usize {
        match self {
            Self::Day => 24,
            Self::Week => 28,
            Self::Month => 30,
        }
    }

    /// How many hours a part has.
    pub(super) fn hours(self) -> usize {
        match self {
            Self::Day => 1,
            Self::Week => 6,
            Self::Month => 24,
        }
    }

    /// How a time is written along the axis.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Day => "%H:%M",
            Self::Week | Self::Month => "%m-%d",
        }
    }

    /// Its begin: it ends with the hour that has begun.
    pub(super) fn from(self, now: DateTime<Utc>) -> DateTime<Utc> {
        let end = beginning(now) + TimeDelta::hours(24);
        let hours = self.parts().saturating_mul(self.hours());
        end - TimeDelta::hours(i64::try_from(hours).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_ends_with_the_hour_that_has_begun() {
        let now: DateTime<Utc> = "2026-03-02T10:59:59Z".parse().unwrap();
        let from = Range::ALL.map(|range| range.from(now).to_rfc3339());
        let begins = ["2026-03-01T11", "2026-02-23T11", "2026-01-31T11"];
        assert_eq!(from, begins.map(|hour| format!("{hour}:00:00+00:00")));
        let ranges = ["24h", "7d", "30d", "1y"].map(Range::parse);
        assert_eq!(ranges, [Range::Day, Range::Week, Range::Month, Range::Day]);
    }
}
