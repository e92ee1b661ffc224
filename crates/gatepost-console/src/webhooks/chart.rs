//! The outcomes of a webhook's deliveries: figures, and a chart of the last day by the hour.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState};
use maud::{Markup, html};
use webhook_model::WebhookId;

use super::counts::{Counts, DAY, beginning, grouped, of_day};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::paging::newest_rows;

/// At most this number of deliveries is counted that have not ended.
const MAX_COUNTED: usize = 1_000;
/// Deliveries read at a time: few at first, then more if their messages are small.
const FIRST: u32 = 50;
const STRIDE: usize = 1_000;
/// Bytes of messages read at a time and in total: a store returns whole deliveries.
const BYTES_AT_A_TIME: usize = 4 * 1024 * 1024;
const BYTES: usize = 32 * 1024 * 1024;

/// What of one webhook has not ended, and what ended within the last day.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// Oldest hour first.
    hours: [Counts; DAY],
    queued: usize,
    running: usize,
    /// There is more queued and running than was counted.
    more: bool,
}

impl Figures {
    pub(super) async fn of(ctx: &PageContext, webhook: WebhookId) -> Result<Self, Failure> {
        let mut figures = Self {
            hours: of_day(ctx, webhook).await?,
            ..Self::default()
        };
        let mut query = DeliveryQuery {
            webhook: Some(webhook),
            states: vec![DeliveryState::Queued, DeliveryState::Running],
            ..DeliveryQuery::all(newest_rows(FIRST))
        };
        let (mut read, mut bytes) = (0, 0);
        while read < MAX_COUNTED && bytes < BYTES {
            let found = ctx.actor.deliveries(&query).await?;
            for delivery in &found.rows {
                match delivery.state {
                    DeliveryState::Running => figures.running += 1,
                    _ => figures.queued += 1,
                }
                bytes += delivery.body.len();
            }
            read += found.rows.len();
            let Some(next) = found.next else {
                return Ok(figures);
            };
            query.page = query.page.beyond(next);
            query.page.limit = stride(bytes / read.max(1));
        }
        figures.more = true;
        Ok(figures)
    }

    fn sum(&self) -> Counts {
        Counts::sum(self.hours)
    }

    /// The name of each figure, and its text.
    fn texts(&self) -> [(&'static str, String); 5] {
        let open = |count: usize| format!("{count}{}", if self.more { "+" } else { "" });
        let sum = self.sum();
        [
            ("queued", open(self.queued)),
            ("running", open(self.running)),
            ("sent", grouped(sum.sent)),
            ("error", grouped(sum.failed)),
            ("retried", grouped(sum.retried)),
        ]
    }

    /// The figures and the chart.
    pub(super) fn markup(&self, now: DateTime<Utc>) -> Markup {
        html! {
            dl.figures {
                @for (name, text) in self.texts() { div { dd { (text) } dt { (name) } } }
            }
            (self.chart(now))
        }
    }

    fn chart(&self, now: DateTime<Utc>) -> Markup {
        let ended = |hour: &Counts| hour.sent.saturating_add(hour.failed);
        let top = self
            .hours
            .iter()
            .map(ended)
            .max()
            .unwrap_or_default()
            .max(1);
        let height = |count: u64| count.saturating_mul(100) / top;
        let (from, sum) = (beginning(now), self.sum());
        let label = format!(
            "Deliveries in the last 24 hours, by hour: {} sent, {} failed",
            sum.sent, sum.failed
        );
        html! {
            svg.chart viewBox="0 0 480 112" preserveAspectRatio="none" role="img" aria-label=(label) {
                line.axis x1="0" y1="110.5" x2="480" y2="110.5" {}
                @for (at, Counts { sent, failed, .. }) in self.hours.iter().enumerate() {
                    @let hour = from + TimeDelta::hours(i64::try_from(at).unwrap_or_default());
                    g {
                        title { (hour.format("%H:00 UTC")) ": " (sent) " sent, " (failed) " failed" }
                        @if *sent > 0 { rect.sent x=(at * 20 + 3) y=(110 - height(*sent)) width="14" height=(height(*sent)) {} }
                        @if *failed > 0 { rect.failed x=(at * 20 + 3) y=(110 - height(*sent) - height(*failed).max(1)) width="14" height=(height(*failed).max(1)) {} }
                    }
                }
            }
            ul.legend {
                li { svg viewBox="0 0 12 12" aria-hidden="true" { rect.sent width="12" height="12" {} } "sent" }
                li { svg viewBox="0 0 12 12" aria-hidden="true" { rect.failed width="12" height="12" {} } "failed" }
                li { "by the hour in which they ended" }
            }
        }
    }
}

/// How many deliveries to read next, by the average size of those before.
fn stride(each: usize) -> u32 {
    let fit = BYTES_AT_A_TIME / each.max(1);
    u32::try_from(fit.clamp(1, STRIDE)).unwrap_or(1)
}
