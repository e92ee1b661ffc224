//! The usage of a key: a chart by day, and a table of the same numbers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use apikey_core::KeyId;
use chrono::{Days, NaiveDate};
use gatepost_manage::ManageError;
use gatepost_storage::keys::KeyUse;
use maud::{Markup, html};

use crate::charts::{self, Frame, legend, ranges, stacked, top};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::texts::Texts;

/// The number of days in the total, whatever the chart shows.
const TOTAL: u64 = 30;

/// The numbers of days that can be shown, including today.
const RANGES: [u64; 3] = [7, TOTAL, 90];

/// Parses the number of days in an address; any other text is a month.
pub(super) fn days(text: &str) -> u64 {
    let found = RANGES.into_iter().find(|days| days.to_string() == text);
    found.unwrap_or(TOTAL)
}

/// The uses of a key on the days of a range.
#[derive(Debug)]
pub(super) struct Usage {
    /// The number of days that are shown.
    range: u64,
    today: NaiveDate,
    days: BTreeMap<NaiveDate, KeyUse>,
}

impl Usage {
    pub(super) async fn of(ctx: &PageContext, key: KeyId, range: u64) -> Result<Self, Failure> {
        let today = ctx.now().date_naive();
        let read = range.max(TOTAL);
        let (from, before) = (days_before(today, read - 1), today + Days::new(1));
        let limit = u32::try_from(read).unwrap_or(u32::MAX);
        let uses = match ctx.actor.key_uses(key, from, before, limit).await {
            // The key was deleted while the page was made.
            Err(ManageError::NotFound) => Vec::new(),
            uses => uses?,
        };
        Ok(Self {
            range,
            today,
            days: uses.into_iter().map(|uses| (uses.day, uses)).collect(),
        })
    }

    /// Renders the section, below links to the other ranges.
    pub(super) fn markup(&self, t: &Texts, path: &str) -> Markup {
        let (used, refused) = self.sum(TOTAL);
        let links = RANGES.into_iter().map(|days| {
            let text = t.with("keys-days", &[("count", days.into())]);
            (format!("{path}?days={days}#uses"), text, days == self.range)
        });
        html! {
            section #uses {
                h2 { (t.of("keys-uses-title")) }
                p { (total(t, used, refused)) }
                (ranges(&t.of("keys-uses-ranges"), links))
                @if self.shown().next().is_some() {
                    (self.plot(t))
                    (legend(t, ["keys-uses-used", "keys-uses-refused"]))
                    p.quiet { (t.of("keys-uses-refused-text")) }
                    details {
                        summary { (t.of("keys-uses-table")) }
                        (self.table(t, self.range))
                    }
                }
            }
        }
    }

    fn plot(&self, t: &Texts) -> Markup {
        let count = self.range;
        let most = self.shown().map(|(_, uses)| ended(uses)).max();
        let most = top(most.unwrap_or(0));
        let quarter = |at: u64| html! { (self.day(count * at / 4).format("%m-%d")) };
        let [first, second, third, last] = [0, 1, 2, 3].map(quarter);
        let frame = Frame {
            title: &t.of("keys-uses-chart"),
            said: &t.with("keys-uses-chart-said", &[("count", count.into())]),
            top: [t.number(most), t.number(most / 2)],
            times: [
                first,
                second,
                third,
                last,
                html! { (t.of("keys-uses-today")) },
            ],
        };
        let bars = self.shown().map(|(at, uses)| {
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            (at, stacked(uses.used, uses.refused, most))
        });
        charts::plot(&frame, self.days_shown(), bars)
    }

    fn table(&self, t: &Texts, count: u64) -> Markup {
        let (used, refused) = self.sum(count);
        let labels = [
            "keys-uses-day",
            "keys-uses-column-used",
            "keys-uses-column-refused",
        ]
        .map(|name| t.of(name));
        let mut days: Vec<_> = self.shown().collect();
        days.reverse();
        html! {
            @if days.len() < self.days_shown() { p.quiet { (t.of("keys-uses-left-out")) } }
            div.scroll { table {
                thead { tr { @for label in &labels { th scope="col" { (label) } } } }
                tbody {
                    @for (_, uses) in days { (row(t, &labels, &uses.day.to_string(), uses.used, uses.refused)) }
                    (row(t, &labels, &t.of("keys-uses-all"), used, refused))
                }
            } }
        }
    }

    /// Returns the days of the range with uses, oldest first, each with its position.
    fn shown(&self) -> impl Iterator<Item = (u64, &KeyUse)> {
        let first = self.day(0);
        self.days.range(first..).filter_map(move |(day, uses)| {
            let at = day.signed_duration_since(first).num_days();
            Some((u64::try_from(at).ok()?, uses))
        })
    }

    fn days_shown(&self) -> usize {
        usize::try_from(self.range).unwrap_or(usize::MAX)
    }

    fn day(&self, at: u64) -> NaiveDate {
        days_before(self.today, self.range.saturating_sub(at + 1))
    }

    /// Returns the number of uses and of refusals in the last days.
    pub(super) fn sum(&self, days: u64) -> (u64, u64) {
        let first = days_before(self.today, days.saturating_sub(1));
        let none = (0_u64, 0_u64);
        self.days.range(first..).fold(none, |sum, (_, uses)| {
            let used = sum.0.saturating_add(uses.used);
            (used, sum.1.saturating_add(uses.refused))
        })
    }
}

/// Returns a text such as `Used 1,204 times in the last 30 days, and refused 3 times.`
fn total(t: &Texts, used: u64, refused: u64) -> String {
    let counts = [("count", used.into()), ("refused", refused.into())];
    match (used, refused) {
        (0, 0) => t.of("keys-uses-none").into_owned(),
        (0, _) => t.with("keys-uses-only-refused", &counts),
        (_, 0) => t.with("keys-uses-total", &counts),
        _ => t.with("keys-uses-total-refused", &counts),
    }
}

fn ended(uses: &KeyUse) -> u64 {
    uses.used.saturating_add(uses.refused)
}

fn row(t: &Texts, labels: &[Cow<'_, str>; 3], day: &str, used: u64, refused: u64) -> Markup {
    let values = [day.to_owned(), t.number(used), t.number(refused)];
    html! { tr {
        @for (label, value) in labels.iter().zip(values) { td data-label=(label) { span { (value) } } }
    } }
}

fn days_before(day: NaiveDate, days: u64) -> NaiveDate {
    day.checked_sub_days(Days::new(days)).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_is_a_sentence() {
        let total = |used, refused| total(&Texts::english(), used, refused);
        assert_eq!(total(0, 0), "Not used in the last 30 days.");
        assert_eq!(
            total(1, 2),
            "Used once in the last 30 days. Refused 2 times."
        );
        assert_eq!(total(1_204, 0), "Used 1,204 times in the last 30 days.");
        assert_eq!(total(0, 1), "Not used in the last 30 days. Refused once.");
    }

    #[test]
    fn a_range_ends_with_today() {
        let ranges = ["7", "30", "90", "", "8"].map(days);
        assert_eq!(ranges, [7, 30, 90, 30, 30]);
        let today = NaiveDate::from_ymd_opt(2026, 3, 2).unwrap();
        let usage = Usage {
            range: 7,
            today,
            days: BTreeMap::new(),
        };
        assert_eq!(usage.day(6), today);
        assert_eq!(usage.day(0).to_string(), "2026-02-24");
    }
}
