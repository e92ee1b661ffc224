//! The charts of a webhook's page: how much it sends, how much of that fails, how long it takes;
//! and a table of the same figures.

use chrono::{DateTime, TimeDelta, Utc};
use maud::{Markup, html};
use webhook_model::WebhookId;

use super::counts::{Counts, grouped, of_hours};
use super::health::success;
use super::range::Range;
use crate::chart_scale::{height, top};
use crate::context::PageContext;
use crate::failure::Failure;

/// A bar is this wide, of 20.
const BAR: usize = 14;

/// What became of deliveries in equal parts of a range, oldest first.
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
        let parts = of_hours(ctx, webhook, from, range.parts(), range.hours()).await?;
        Ok(Self { range, from, parts })
    }

    pub(super) fn sum(&self) -> Counts {
        Counts::sum(self.parts.iter().copied())
    }

    /// The charts, below links to the other ranges, and the table.
    pub(super) fn markup(&self, path: &str) -> Markup {
        let most = self.parts.iter().map(|part| part.ended()).max();
        let slowest = self.parts.iter().filter_map(|part| part.mean()).max();
        let (most, slowest) = (top(most.unwrap_or(0)), top(slowest.unwrap_or(0)));
        let sum = self.sum();
        let (name, words) = (self.range.name(), self.range.words());
        let said = |what: &str| format!("{what}, by {words}, {name}. The table has all figures.");
        let took = |mean: Option<u64>| mean.map_or_else(|| "no attempts".to_owned(), milliseconds);
        html! {
            nav.ranges aria-label="Time range" { @for range in Range::ALL {
                a href={ (path) "?range=" (range.as_str()) "#figures" } aria-current=[(range == self.range).then_some("true")] { (range.as_str()) }
            } }
            (self.plot("Deliveries", &said("Deliveries sent and failed"), [grouped(most), grouped(most / 2)], |part| {
                let failed = height(part.failed, most);
                let sent = height(part.sent, most);
                html! {
                    @if part.sent > 0 { rect.sent width=(BAR) y=(100 - sent) height=(sent) {} }
                    @if part.failed > 0 { rect.failed width=(BAR) y=(100 - sent - failed.min(100 - sent)) height=(failed.min(100 - sent)) {} }
                }
            }))
            ul.legend {
                li { svg viewBox="0 0 12 12" aria-hidden="true" { rect.sent width="12" height="12" {} } "sent" }
                li { svg viewBox="0 0 12 12" aria-hidden="true" { rect.failed width="12" height="12" {} } "failed" }
            }
            (self.plot("Attempts that failed", &said("The share of attempts that failed"), ["100%".into(), "50%".into()], |part| {
                let share = part.failing().map_or(0, |share| share.max(1));
                html! { @if share > 0 { rect.failed width=(BAR) y=(100 - share) height=(share) {} } }
            }))
            (self.plot("Mean time of an attempt", &said("How long an attempt takes on average"), [milliseconds(slowest), milliseconds(slowest / 2)], |part| {
                let mean = part.mean().map_or(0, |mean| height(mean, slowest));
                html! { @if mean > 0 { rect.took width=(BAR) y=(100 - mean) height=(mean) {} } }
            }))
            details {
                summary { "The figures as a table" }
                div.scroll { table {
                    thead { tr { th scope="col" { "From (UTC)" } th scope="col" { "Sent" } th scope="col" { "Failed" } th scope="col" { "Retried" } th scope="col" { "Success" } th scope="col" { "Mean time" } } }
                    tbody {
                        @for (at, part) in self.parts.iter().enumerate().rev() { (row(&self.begins(at).format("%Y-%m-%d %H:%M").to_string(), *part, &took)) }
                        (row("All", sum, &took))
                    }
                } }
            }
        }
    }

    fn begins(&self, at: usize) -> DateTime<Utc> {
        let hours = at.saturating_mul(self.range.hours());
        self.from + TimeDelta::hours(i64::try_from(hours).unwrap_or_default())
    }

    /// One chart: labels beside it, because texts within it would be stretched with it.
    fn plot(
        &self,
        title: &str,
        said: &str,
        labels: [String; 2],
        bars: impl Fn(&Counts) -> Markup,
    ) -> Markup {
        let count = self.parts.len();
        let [top, middle] = labels;
        html! {
            figure.plot {
                figcaption { (title) }
                div.y aria-hidden="true" { span { (top) } span { (middle) } span { "0" } }
                svg.chart viewBox={ "0 0 " (count * 20) " 100" } preserveAspectRatio="none" role="img" aria-label=(said) {
                    @for y in ["0.5", "50", "99.5"] { line.axis x1="0" x2=(count * 20) y1=(y) y2=(y) {} }
                    @for (at, part) in self.parts.iter().enumerate() {
                        svg x=(at * 20 + 3) width=(BAR) height="100" { (bars(part)) }
                    }
                }
                div.x aria-hidden="true" {
                    @for quarter in 0..4 { span { (self.begins(count * quarter / 4).format(self.range.label())) } }
                    span { "now" }
                }
            }
        }
    }
}

fn row(begins: &str, part: Counts, took: &impl Fn(Option<u64>) -> String) -> Markup {
    html! { tr {
        td data-label="From (UTC)" { span { (begins) } }
        td data-label="Sent" { span { (grouped(part.sent)) } }
        td data-label="Failed" { span { (grouped(part.failed)) } }
        td data-label="Retried" { span { (grouped(part.retried)) } }
        td data-label="Success" { span { (success(part).unwrap_or_else(|| "–".to_owned())) } }
        td data-label="Mean time" { span { (took(part.mean())) } }
    } }
}

/// `140 ms`, `2.4 s`.
fn milliseconds(time: u64) -> String {
    if time < 1_000 {
        format!("{time} ms")
    } else {
        format!("{}.{} s", grouped(time / 1_000), time % 1_000 / 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_in_its_usual_unit() {
        assert_eq!(milliseconds(999), "999 ms");
        assert_eq!(milliseconds(2_449), "2.4 s");
    }
}
