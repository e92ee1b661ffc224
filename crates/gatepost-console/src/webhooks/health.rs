//! The health of webhooks in words, from their hourly counters and the newest deliveries; and the
//! failing webhooks at the top of the first page.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{Delivery, DeliveryQuery, DeliveryState, HourlyCount};
use maud::{Markup, html};
use webhook_model::{Activity, WebhookId};

use super::counts::{Counts, FAILING, Open, day};
use crate::charts::figures;
use crate::choices::newest_rows;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{badge, note, seen, status_line};
use crate::texts::Texts;
use crate::time::{away, tick};

/// The number of newest deliveries that are searched for the last one of each webhook.
const LOOKED_AT: u32 = 200;
/// The hours that decide the present condition of a webhook: the present hour and the one before.
const NOW: TimeDelta = TimeDelta::hours(2);
/// The maximum number of webhooks that are named.
const NAMED: usize = 5;

/// The condition of a webhook, as it is shown, in the order in which they are listed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Condition {
    /// Nothing has succeeded recently.
    Failing,
    /// Active, with some failures.
    SomeFail,
    /// Active, without failures.
    Active,
    Paused,
    Disabled,
}

impl Condition {
    /// Determines the condition from the outcomes of the last day and of the last hours.
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

/// The conditions of the webhooks on one page, loaded with a number of calls that does not depend
/// on the number of webhooks.
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

    /// Renders the outcome of the last delivery, or at least the hour in which it was.
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

/// Renders a text such as `between 14:00 and 15:00`, in the user's zone.
fn within(texts: &Texts, hour: DateTime<Utc>) -> Markup {
    let [from, until] = [hour, hour + TimeDelta::hours(1)].map(|at| tick(at, false));
    let times = [("from", from.into()), ("until", until.into())];
    texts.markup("webhooks-last-between", &times)
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
        word.clone().into_owned()
    } else {
        let parts = [("outcome", (&*word).into()), ("reason", info.into())];
        texts.with("webhooks-last-reason", &parts)
    };
    let at = delivery.last_attempt.unwrap_or(delivery.created);
    html! { span title=(outcome) { (word) } " " span.quiet { (away(texts, at, now)) } }
}

/// Returns a text such as `1,000 sent, 3 failed (99.7% success)`.
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

/// Returns the share of sent deliveries among those that ended: `99.7%`, rounded down, so that
/// `100%` means all. `None` if none ended.
pub(super) fn success(texts: &Texts, counts: Counts) -> Option<String> {
    let ended = u128::from(counts.sent) + u128::from(counts.failed);
    let tenths = (u128::from(counts.sent) * 1_000).checked_div(ended)?;
    u64::try_from(tenths)
        .ok()
        .map(|tenths| texts.percent(tenths))
}

/// Returns the condition of one webhook from its hours.
pub(super) fn of_hours(activity: Activity, hours: &[Counts]) -> Condition {
    let now = hours.iter().rev().take(2).copied();
    Condition::of(
        activity,
        Counts::sum(hours.iter().copied()),
        Counts::sum(now),
    )
}

/// Renders since when and why a webhook fails, and what happens next, with two links.
pub(super) fn band(
    ctx: &PageContext,
    id: WebhookId,
    failed: u64,
    open: Open,
    [last, success]: [Option<&Delivery>; 2],
) -> Markup {
    let (t, now) = (ctx.texts(), ctx.now());
    let since = success.and_then(|delivery| delivery.last_attempt);
    let answer = last.map(|last| match last.response_status {
        Some(status) => t.markup(
            "webhooks-failing-status",
            &[("status", status_line(status).into())],
        ),
        None => t.markup(
            "webhooks-failing-reason",
            &[("reason", t.rule(&last.status_info).into())],
        ),
    });
    let replay = ctx.at(&format!("/deliveries/replay?webhook={id}"));
    html! {
        div.band {
            div {
                strong { @match since {
                    Some(at) => (t.markup("webhooks-failing-since", &[("time", away(t, at, now).into())])),
                    None => (t.of("webhooks-failing-never")),
                } }
                @if let Some(answer) = answer { " " (answer) }
                @if let Some(next) = open.next { " " (t.markup("webhooks-failing-next", &[("count", (open.retrying as u64).into()), ("when", away(t, next, now).into())])) }
            }
            div.actions {
                @if let Some(last) = last { a.button href=(ctx.at(&format!("/deliveries/{}", last.id))) { (t.of("webhooks-failing-response")) } }
                @if failed > 0 { a.button href=(replay) { (t.with("webhooks-failing-replay", &[("count", failed.into())])) } }
            }
        }
    }
}

/// Renders the outcomes of these webhooks in the last day.
pub(crate) async fn of_all(
    ctx: &PageContext,
    webhooks: impl Iterator<Item = WebhookId>,
) -> Result<Markup, Failure> {
    let (from, before) = day(ctx);
    let sums = ctx.actor.webhook_sums(webhooks, from, before).await?;
    let (t, sum) = (ctx.texts(), Counts::sum(sums.values().map(Counts::from)));
    let failed = ctx.at("/deliveries?state=error");
    let share = success(t, sum).unwrap_or_else(|| "–".to_owned());
    let all = [
        ("webhooks-figure-success", share, None),
        ("frame-state-sent", t.number(sum.sent), None),
        ("frame-state-error", t.number(sum.failed), Some(failed)),
        ("webhooks-figure-retried", t.number(sum.retried), None),
    ];
    Ok(figures(t, all))
}

/// Renders the caller's webhooks that are failing, if there are any.
pub(crate) async fn failing(ctx: &PageContext) -> Result<Option<Markup>, Failure> {
    let (_, before) = day(ctx);
    let found = ctx.actor.failing_webhooks(before - NOW, before, NAMED);
    let mut found = found.await?;
    found
        .webhooks
        .retain(|(_, count)| count.failed.saturating_add(count.retried) >= FAILING);
    if found.webhooks.is_empty() {
        return Ok(None);
    }
    let t = ctx.texts();
    // If there are more than are named, there are at least two.
    let count = found.webhooks.len() + usize::from(found.more);
    Ok(Some(note(
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
    )))
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
            (ended(5, 1), ended(0, 1), Condition::SomeFail),
            (ended(5, 3), ended(0, 3), Condition::Failing),
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
