//! The outcomes of a webhook's deliveries: figures, and a chart of the last day by the hour.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::Page;
use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState};
use maud::{Markup, html};
use webhook_model::WebhookId;

use crate::context::PageContext;
use crate::failure::Failure;

const HOURS: usize = 24;
/// At most this number of deliveries is counted.
const MAX_COUNTED: usize = 5_000;
/// Deliveries read at a time: few at first, then more if their messages are small.
const FIRST: u32 = 50;
const STRIDE: usize = 1_000;
/// Bytes of messages read at a time and in total: a store returns whole deliveries.
const BYTES_AT_A_TIME: usize = 4 * 1024 * 1024;
const BYTES: usize = 32 * 1024 * 1024;

/// The deliveries of one webhook that were queued within the last day.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// Sent and failed, oldest hour first.
    hours: [(usize, usize); HOURS],
    queued: usize,
    running: usize,
    sent: usize,
    failed: usize,
    /// There are more than were counted.
    more: bool,
}

impl Figures {
    pub(super) async fn of(ctx: &PageContext, webhook: WebhookId) -> Result<Self, Failure> {
        let now = ctx.now();
        let from = beginning(now);
        let mut query = DeliveryQuery {
            webhook: Some(webhook),
            created_from: Some(from),
            ..DeliveryQuery::all(Page::newest(FIRST))
        };
        let mut figures = Self::default();
        let (mut read, mut bytes) = (0, 0);
        while read < MAX_COUNTED && bytes < BYTES {
            let found = ctx.actor.deliveries(&query).await?;
            for delivery in &found.rows {
                figures.count(delivery.state, delivery.created - from);
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

    fn count(&mut self, state: DeliveryState, since: TimeDelta) {
        let hour = usize::try_from(since.num_hours()).unwrap_or_default();
        let hour = self.hours.get_mut(hour.min(HOURS - 1));
        match state {
            DeliveryState::Queued => self.queued += 1,
            DeliveryState::Running => self.running += 1,
            DeliveryState::Sent => {
                self.sent += 1;
                hour.into_iter().for_each(|hour| hour.0 += 1);
            }
            DeliveryState::Error => {
                self.failed += 1;
                hour.into_iter().for_each(|hour| hour.1 += 1);
            }
        }
    }

    /// The name of each figure, and its text.
    pub(super) fn texts(&self) -> [(&'static str, String); 4] {
        let text = |count: usize| format!("{count}{}", if self.more { "+" } else { "" });
        [
            ("queued", text(self.queued)),
            ("running", text(self.running)),
            ("sent", text(self.sent)),
            ("error", text(self.failed)),
        ]
    }

    /// The figures, which the script refreshes, and the chart.
    pub(super) fn markup(&self, now: DateTime<Utc>) -> Markup {
        html! {
            dl.figures {
                @for (name, text) in self.texts() { div { dd data-text=(name) { (text) } dt { (name) } } }
            }
            (self.chart(now))
        }
    }

    fn chart(&self, now: DateTime<Utc>) -> Markup {
        let top = self.hours.iter().map(|(sent, failed)| sent + failed).max();
        let top = top.unwrap_or_default().max(1);
        let height = |count: usize| count * 100 / top;
        let from = beginning(now);
        let label = format!(
            "Deliveries in the last 24 hours, by hour: {} sent, {} failed",
            self.sent, self.failed
        );
        html! {
            svg.chart viewBox="0 0 480 112" preserveAspectRatio="none" role="img" aria-label=(label) {
                line.axis x1="0" y1="110.5" x2="480" y2="110.5" {}
                @for (at, (sent, failed)) in self.hours.iter().enumerate() {
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
                li { "by the hour in which they were queued" }
            }
        }
    }
}

/// How many deliveries to read next, by the average size of those before.
fn stride(each: usize) -> u32 {
    let fit = BYTES_AT_A_TIME / each.max(1);
    u32::try_from(fit.clamp(1, STRIDE)).unwrap_or(1)
}

/// The start of the first hour of the chart.
fn beginning(now: DateTime<Utc>) -> DateTime<Utc> {
    let past = TimeDelta::seconds(now.timestamp().rem_euclid(3600));
    now - past - TimeDelta::hours(23)
}
