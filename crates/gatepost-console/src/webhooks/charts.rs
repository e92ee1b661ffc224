//! The charts of a webhook's page: deliveries, failures and durations in a range of time; and a
//! table of the same numbers.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use fluent_bundle::FluentValue;
use maud::{Markup, html};
use webhook_model::WebhookId;

use super::counts::{Counts, beginning, of_hours};
use super::health::success;
use crate::charts::{self, Frame, bar, height, legend, ranges, stacked, top};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::texts::Texts;
use crate::time::{moment, span, tick};

/// The outcomes of deliveries in equal parts of a range, oldest first.
#[derive(Debug)]
pub(super) struct Charts {
    pub range: Range,
    from: DateTime<Utc>,
    pub parts: Vec<Counts>,
}

impl Charts {
    pub(super) async fn of(
        ctx: &PageContext,
        webhook: WebhookId,
        range: Range,
    ) -> Result<Self, Failure> {
        let from = range.from(ctx.now());
        let parts = of_hours(ctx, webhook, from, range.parts, range.hours).await?;
        Ok(Self { range, from, parts })
    }

    pub(super) fn sum(&self) -> Counts {
        Counts::sum(self.parts.iter().copied())
    }

    /// Renders links to the other ranges.
    pub(super) fn ranges(&self, t: &Texts, path: &str) -> Markup {
        let links = Range::ALL.into_iter().map(|range| {
            let to = format!("{path}?range={}#figures", range.word);
            let text = t.of(&format!("webhooks-range-{}", range.name));
            (to, text.into_owned(), range == self.range)
        });
        ranges(&t.of("webhooks-range-label"), links)
    }

    /// Renders the charts and the table; only the table if all numbers are zero.
    pub(super) fn markup(&self, texts: &Texts) -> Markup {
        if self.sum().is_none() {
            return self.table(texts);
        }
        let t = texts;
        let most = self.parts.iter().map(|part| part.ended()).max();
        let slowest = self.parts.iter().filter_map(|part| part.mean()).max();
        let (most, slowest) = (top(most.unwrap_or(0)), top(slowest.unwrap_or(0)));
        let said = |name: &str| t.with(name, &[("range", self.range.variant())]);
        let names = ["frame-state-sent", "frame-state-error"];
        html! {
            (self.plot(t, "webhooks-chart-deliveries", &said, [t.number(most), t.number(most / 2)], |part| stacked(part.sent, part.failed, most)))
            (legend(t, names))
            (self.plot(t, "webhooks-chart-failed", &said, [t.percent(1_000), t.percent(500)], |part| {
                let share = part.failing().map_or(0, |share| share.max(1));
                bar("failed", 100 - share, share)
            }))
            (self.plot(t, "webhooks-chart-time", &said, [time(t, slowest), time(t, slowest / 2)], |part| {
                // Less than a millisecond is visible, too.
                let mean = part.mean().map_or(0, |mean| height(mean, slowest).max(1));
                bar("took", 100 - mean, mean)
            }))
            (self.table(t))
        }
    }

    fn table(&self, texts: &Texts) -> Markup {
        let t = texts;
        let begin = t.of("webhooks-table-from");
        let sent = t.of("webhooks-table-sent");
        let failed = t.of("webhooks-table-failed");
        let retried = t.of("webhooks-table-retried");
        let share = t.of("webhooks-table-success");
        let took = t.of("webhooks-table-time");
        let row = |at: &Markup, part: Counts| {
            html! { tr {
                td data-label=(begin) { span { (at) } }
                td data-label=(sent) { span { (t.number(part.sent)) } }
                td data-label=(failed) { span { (t.number(part.failed)) } }
                td data-label=(retried) { span { (t.number(part.retried)) } }
                td data-label=(share) { span { (success(t, part).unwrap_or_else(|| "–".to_owned())) } }
                td data-label=(took) { span { @match part.mean() { Some(mean) => (time(t, mean)), None => (t.of("webhooks-table-no-attempts")) } } }
            } }
        };
        html! {
            details id="table" {
                summary { (t.of("webhooks-table-title")) }
                div.scroll { table {
                    thead { tr { @for label in [&begin, &sent, &failed, &retried, &share, &took] { th scope="col" { (label) } } } }
                    tbody {
                        @for (at, part) in self.parts.iter().enumerate().rev() { (row(&moment(self.begins(at)), *part)) }
                        (row(&html! { (t.of("webhooks-table-all")) }, self.sum()))
                    }
                } }
            }
        }
    }

    fn begins(&self, at: usize) -> DateTime<Utc> {
        let hours = at.saturating_mul(self.range.hours);
        self.from + TimeDelta::hours(i64::try_from(hours).unwrap_or_default())
    }

    /// Renders a chart by the name of its title; its text for screen readers has the same name with
    /// `-said`.
    fn plot(
        &self,
        t: &Texts,
        name: &str,
        said: &impl Fn(&str) -> String,
        top: [String; 2],
        bars: impl Fn(&Counts) -> Markup,
    ) -> Markup {
        let count = self.parts.len();
        let is_day = self.range.hours > 1;
        let quarter = |at: usize| tick(self.begins(count * at / 4), is_day);
        let [first, second, third, last] = [0, 1, 2, 3].map(quarter);
        let frame = Frame {
            title: &t.of(name),
            said: &said(&format!("{name}-said")),
            top,
            times: [
                first,
                second,
                third,
                last,
                html! { (t.of("webhooks-chart-now")) },
            ],
        };
        let parts = self.parts.iter().enumerate();
        charts::plot(&frame, count, parts.map(|(at, part)| (at, bars(part))))
    }
}

/// Returns a text such as `140 ms`, `2.4 s`.
fn time(texts: &Texts, milliseconds: u64) -> String {
    span(texts, Duration::from_millis(milliseconds))
}

/// A range of time up to the present, in equal parts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Range {
    /// Its word in an address.
    pub word: &'static str,
    /// The variant of a text for it, which also ends the name of the text of its link.
    name: &'static str,
    parts: usize,
    /// The number of hours of a part.
    hours: usize,
}

impl Range {
    const ALL: [Self; 3] = [
        Self::new("24h", "day", 24, 1),
        Self::new("7d", "week", 28, 6),
        Self::new("30d", "month", 30, 24),
    ];

    const fn new(word: &'static str, name: &'static str, parts: usize, hours: usize) -> Self {
        Self {
            word,
            name,
            parts,
            hours,
        }
    }

    /// Returns the range with this word; a day for any other text.
    pub(super) fn parse(word: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|range| range.word == word).unwrap_or(Self::ALL[0])
    }

    /// Returns the variant of a text for this range.
    pub(super) fn variant(self) -> FluentValue<'static> {
        self.name.into()
    }

    /// Returns its start: it ends with the hour that has begun.
    fn from(self, now: DateTime<Utc>) -> DateTime<Utc> {
        let end = beginning(now) + TimeDelta::hours(24);
        let hours = self.parts.saturating_mul(self.hours);
        end - TimeDelta::hours(i64::try_from(hours).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chart_range_ends_with_the_current_hour() {
        let now: DateTime<Utc> = "2026-03-02T10:59:59Z".parse().unwrap();
        let from = Range::ALL.map(|range| range.from(now).to_rfc3339());
        let begins = ["2026-03-01T11", "2026-02-23T11", "2026-01-31T11"];
        assert_eq!(from, begins.map(|hour| format!("{hour}:00:00+00:00")));
        let [day, week, month] = Range::ALL;
        let ranges = ["24h", "7d", "30d", "1y"].map(Range::parse);
        assert_eq!(ranges, [day, week, month, day]);
    }
}
