//! How well webhooks do, in words: from the counters of their hours and the newest deliveries; and
//! what fails, at the top of the first page.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{Delivery, DeliveryQuery, DeliveryState, HourlyCount};
use maud::{Markup, html};
use webhook_model::{Activity, WebhookId};

use super::counts::{Counts, day};
use crate::choices::newest_rows;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{badge, note, seen};
use crate::texts::Texts;
use crate::time::stamp;

/// The newest deliveries that are looked through for the last of each webhook.
const LOOKED_AT: u32 = 200;
/// Hours that say how a webhook does now: the one that has begun and the one before.
const NOW: TimeDelta = TimeDelta::hours(2);
/// Webhooks that are named.
const NAMED: usize = 5;

/// The state of a webhook, as it is shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Condition {
    /// It sends, and nothing fails.
    Active,
    /// It sends, and some of it fails.
    SomeFail,
    /// Nothing has succeeded recently.
    Failing,
    Paused,
    Disabled,
}

impl Condition {
    /// By what became of the deliveries of the last day, and of the last hours.
    fn of(activity: Activity, day: Counts, now: Counts) -> Self {
        match activity {
            Activity::Paused => Self::Paused,
            Activity::Disabled => Self::Disabled,
            Activity::Active if now.only_failed() => Self::Failing,
            Activity::Active if now.is_none() && day.only_failed() => Self::Failing,
            Activity::Active if day.failed > 0 => Self::SomeFail,
            Activity::Active => Self::Active,
        }
    }

    pub(super) fn badge(self, texts: &Texts) -> Markup {
        let (kind, word) = match self {
            Self::Active => ("good", "webhooks-state-active"),
            Self::SomeFail => ("warn", "webhooks-state-some-fail"),
            Self::Failing => ("bad", "webhooks-state-failing"),
            Self::Paused => ("warn", "webhooks-state-paused"),
            Self::Disabled => ("", "webhooks-state-disabled"),
        };
        badge(kind, &texts.of(word))
    }
}

/// What is known of the webhooks of one page, by a number of calls that does not depend on how many
/// there are.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    day: BTreeMap<WebhookId, HourlyCount>,
    now: BTreeMap<WebhookId, HourlyCount>,
    last: BTreeMap<WebhookId, Delivery>,
}

impl Conditions {
    pub(super) async fn of(
        ctx: &PageContext,
        webhooks: impl Iterator<Item = WebhookId> + Clone,
    ) -> Result<Self, Failure> {
        let (from, before) = day(ctx);
        let day = ctx.actor.webhook_sums(webhooks.clone(), from, before);
        let day = day.await?;
        let now = ctx.actor.webhook_sums(webhooks, before - NOW, before);
        let now = now.await?;
        let newest = DeliveryQuery::all(newest_rows(LOOKED_AT));
        let mut last = BTreeMap::new();
        for delivery in ctx.actor.deliveries(&newest).await?.rows {
            last.entry(delivery.webhook).or_insert(delivery);
        }
        Ok(Self { day, now, last })
    }

    pub(super) fn day(&self, webhook: WebhookId) -> Counts {
        counts(&self.day, webhook)
    }

    pub(super) fn condition(&self, webhook: WebhookId, activity: Activity) -> Condition {
        Condition::of(activity, self.day(webhook), counts(&self.now, webhook))
    }

    /// The last delivery: how it went, or at least in which hour it was.
    pub(super) fn last(&self, texts: &Texts, webhook: WebhookId, now: DateTime<Utc>) -> Markup {
        let counted = self.day.get(&webhook).map(|count| count.hour);
        html! { @match (self.last.get(&webhook), counted) {
            (Some(delivery), _) => (told(texts, delivery, now)),
            (None, Some(hour)) => (within(texts, hour)),
            (None, None) => span.quiet { (texts.of("webhooks-last-none")) },
        } }
    }
}

fn counts(of: &BTreeMap<WebhookId, HourlyCount>, webhook: WebhookId) -> Counts {
    of.get(&webhook).map(Counts::from).unwrap_or_default()
}

/// `between 14:00 and 15:00 UTC`
fn within(texts: &Texts, hour: DateTime<Utc>) -> String {
    let end = hour + TimeDelta::hours(1);
    let [from, until] = [hour, end].map(|at| at.format("%H:00").to_string());
    let times = [("from", from.into()), ("until", until.into())];
    texts.with("webhooks-last-between", &times)
}

fn told(texts: &Texts, delivery: &Delivery, now: DateTime<Utc>) -> Markup {
    let word = match delivery.state {
        DeliveryState::Sent => "webhooks-last-sent",
        DeliveryState::Error => "webhooks-last-failed",
        _ if delivery.attempts > 0 => "webhooks-last-retrying",
        _ => "webhooks-last-waiting",
    };
    let (word, info) = (texts.of(word), texts.rule(&delivery.status_info));
    let outcome = if delivery.state == DeliveryState::Sent || info.is_empty() {
        word.into_owned()
    } else {
        let parts = [("outcome", word.into()), ("reason", info.into())];
        texts.with("webhooks-last-reason", &parts)
    };
    html! {
        (outcome)
        div.quiet { (stamp(texts, delivery.last_attempt.unwrap_or(delivery.created), now)) }
    }
}

/// `1,000 sent, 3 failed (99.7% success)`.
pub(super) fn rate(texts: &Texts, day: Counts) -> String {
    let sent = ("sent", day.sent.into());
    match success(texts, day) {
        Some(share) if day.failed > 0 => {
            let (failed, share) = (("failed", day.failed.into()), ("share", share.into()));
            texts.with("webhooks-rate", &[sent, failed, share])
        }
        _ => texts.with("webhooks-rate-sent", &[sent]),
    }
}

/// The share of deliveries that were sent, among those that ended: `99.7%`, rounded down, so that
/// only all is `100%`. `None` where none ended.
pub(super) fn success(texts: &Texts, counts: Counts) -> Option<String> {
    let ended = u128::from(counts.sent) + u128::from(counts.failed);
    let tenths = (u128::from(counts.sent) * 1_000).checked_div(ended)?;
    u64::try_from(tenths)
        .ok()
        .map(|tenths| texts.percent(tenths))
}

/// The condition of one webhook whose hours were read.
pub(super) fn of_hours(activity: Activity, hours: &[Counts]) -> Condition {
    let now = hours.iter().rev().take(2).copied();
    Condition::of(
        activity,
        Counts::sum(hours.iter().copied()),
        Counts::sum(now),
    )
}

/// The webhooks of the caller of which nothing succeeds; nothing where all is well.
pub(crate) async fn failing(ctx: &PageContext) -> Result<Markup, Failure> {
    let (_, before) = day(ctx);
    let found = ctx.actor.failing_webhooks(before - NOW, before, NAMED);
    let found = found.await?;
    if found.webhooks.is_empty() {
        return Ok(html! {});
    }
    let t = ctx.texts();
    // Where there are more than are named, there are at least two.
    let count = found.webhooks.len() + usize::from(found.more);
    Ok(note(
        "bad",
        &html! {
            strong { (t.with("webhooks-failing-title", &[("count", count.into())])) }
            " " (t.of("webhooks-failing"))
            ul {
                @for (row, count) in &found.webhooks {
                    @let failures = count.failed.saturating_add(count.retried);
                    @let webhook = html! { a href=(ctx.at(&format!("/webhooks/{}", row.id))) { (seen(row.value.name.as_str())) } };
                    li { (t.markup("webhooks-failing-attempts", &[("webhook", webhook.into()), ("count", failures.into())])) }
                }
                @if found.more {
                    @let link = html! { a href=(ctx.at("/webhooks")) { (t.of("webhooks-failing-link")) } };
                    li { (t.markup("webhooks-failing-more", &[("link", link.into())])) }
                }
            }
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(sent: u64, failed: u64) -> Counts {
        Counts {
            sent,
            failed,
            ..Counts::default()
        }
    }

    #[test]
    fn a_webhook_fails_when_nothing_succeeded_recently() {
        let retried = Counts {
            retried: 3,
            ..Counts::default()
        };
        let none = Counts::default();
        for (day, now, condition) in [
            (none, none, Condition::Active),
            (ended(5, 0), ended(5, 0), Condition::Active),
            (ended(5, 1), ended(1, 0), Condition::SomeFail),
            (ended(5, 1), ended(0, 1), Condition::Failing),
            (ended(5, 0), retried, Condition::Failing),
            (ended(0, 4), none, Condition::Failing),
            (ended(1, 4), none, Condition::SomeFail),
        ] {
            let found = Condition::of(Activity::Active, day, now);
            assert_eq!(found, condition, "{day:?} {now:?}");
        }
        let paused = Condition::of(Activity::Paused, ended(0, 4), ended(0, 4));
        assert_eq!(paused, Condition::Paused);
    }

    #[test]
    fn a_rate_is_never_rounded_up() {
        let share =
            |sent, failed| success(&Texts::english(), ended(sent, failed)).unwrap_or_default();
        assert_eq!(share(0, 0), "");
        assert_eq!(share(7, 0), "100%");
        assert_eq!(share(99_999, 1), "99.9%");
        assert_eq!(share(1, 1), "50%");
        assert_eq!(share(0, 3), "0%");
        let words = |sent, failed| rate(&Texts::english(), ended(sent, failed));
        assert_eq!(words(1_000, 3), "1,000 sent, 3 failed (99.7% success)");
        assert_eq!(words(1_000, 0), "1,000 sent");
    }
}
