//! A delivery in words: how it stands, and what made it.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use gatepost_manage::WaitReason;
use gatepost_storage::webhooks::{Cause, Delivery, DeliveryState};
use maud::{Markup, html};
use webhook_model::{Activity, DeliveryMode, Webhook};

use crate::context::PageContext;
use crate::layout::{badge, seen, state};
use crate::names::{Names, known_type};
use crate::texts::Texts;
use crate::time::{distance, span};

/// What the engine says of a task that a user runs.
const BY_HAND: (&str, &str) = ("tasks", "execute");

/// The state, and whether a task was tested by it.
pub(crate) fn badges(texts: &Texts, delivery: &Delivery) -> Markup {
    let (word, kind) = state(texts, delivery.state);
    html! {
        (badge(kind, &word))
        @if delivery.message_id.is_test() { " " (badge("busy", &texts.of("deliveries-test"))) }
    }
}

/// What is said beside the state: how it ended, or what it waits for.
pub(crate) fn standing(
    texts: &Texts,
    delivery: &Delivery,
    webhook: Option<&Webhook>,
    wait_reason: Option<&WaitReason>,
    now: DateTime<Utc>,
) -> String {
    match delivery.state {
        DeliveryState::Sent | DeliveryState::Error => {
            texts.rule(&delivery.status_info).into_owned()
        }
        DeliveryState::Running => {
            let number = u64::from(delivery.tries) + 1;
            texts.with("deliveries-running-attempt", &[("number", number.into())])
        }
        DeliveryState::Queued => match wait_reason.and_then(|by| held(texts, by)) {
            Some(held) => held,
            None => waits(texts, delivery, webhook, now),
        },
    }
}

/// What a list knows without a further look: whether the webhook sends at all.
pub(crate) fn inactive(webhook: &Webhook) -> Option<WaitReason> {
    match (webhook.activity, webhook.mode) {
        (Activity::Active, DeliveryMode::Push) => None,
        (Activity::Active, DeliveryMode::Fetch) => Some(WaitReason::Fetch),
        (activity, _) => Some(WaitReason::Inactive(activity)),
    }
}

fn held(texts: &Texts, by: &WaitReason) -> Option<String> {
    let held = match by {
        WaitReason::Inactive(Activity::Disabled) => texts.of("deliveries-held-disabled"),
        WaitReason::Inactive(_) => texts.of("deliveries-held-paused"),
        WaitReason::Fetch => texts.of("deliveries-held-fetch"),
        WaitReason::Owner => texts.of("deliveries-held-owner"),
        WaitReason::Behind(first) => {
            let id = first.to_string();
            return Some(texts.with("deliveries-held-behind", &[("id", id.into())]));
        }
        WaitReason::Target(left) => {
            let left = span(texts, *left);
            return Some(texts.with("deliveries-held-target", &[("span", left.into())]));
        }
        WaitReason::Rate => texts.of("deliveries-held-rate"),
        WaitReason::Room => texts.of("deliveries-held-room"),
        _ => return None,
    };
    Some(held.into_owned())
}

/// Nothing is in its way but its time, or its turn.
fn waits(
    texts: &Texts,
    delivery: &Delivery,
    webhook: Option<&Webhook>,
    now: DateTime<Utc>,
) -> String {
    let (tries, is_due) = (delivery.tries, delivery.due <= now);
    let retries = webhook.map(Webhook::reattempts);
    let of = retries.filter(|of| tries <= *of);
    let name = match (tries, of, is_due) {
        (0, _, true) => "deliveries-due",
        (0, _, false) => "deliveries-first-attempt",
        (_, Some(_), true) => "deliveries-retry-of-due",
        (_, Some(_), false) => "deliveries-retry-of",
        (_, None, true) => "deliveries-retry-due",
        (_, None, false) => "deliveries-retry",
    };
    let values = [
        ("when", distance(texts, delivery.due, now).into()),
        ("number", tries.into()),
        ("of", of.into()),
    ];
    texts.with(name, &values)
}

/// Of a row: the event and its object, then the task and the id of the occurrence.
pub(crate) fn short(ctx: &PageContext, delivery: &Delivery, names: &Names) -> Markup {
    let t = ctx.texts();
    html! {
        @match &delivery.cause {
            Some(cause) => {
                (what(ctx, cause))
                @if let Some(object) = object(t, cause, names) { " · " (seen(&object)) }
            }
            None => (unrecorded(t, delivery)),
        }
        div.below.quiet {
            @if delivery.task.is_some() { span { (task(ctx, delivery, names)) } }
            @if let Some(id) = delivery.cause.as_ref().and_then(|cause| cause.occurrence.as_ref()) { span { (id) } }
        }
    }
}

/// Rows of a list of facts.
pub(crate) fn facts(ctx: &PageContext, delivery: &Delivery, names: &Names) -> Markup {
    let t = ctx.texts();
    html! {
        dt { (t.of("deliveries-cause")) } dd {
            @match &delivery.cause {
                Some(cause) => (what(ctx, cause)),
                None => (unrecorded(t, delivery)),
            }
        }
        @if let Some(cause) = &delivery.cause {
            @if let Some(object) = object(t, cause, names) { dt { (t.of("deliveries-object")) } dd { (seen(&object)) } }
            @if let Some(id) = &cause.occurrence { dt { (t.of("deliveries-occurrence-id")) } dd { code { (id) } } }
            @if let Some(trace) = &cause.trace {
                dt { (t.of("deliveries-trace")) } dd { code { (format!("{:032x}", trace.parent.trace_id())) } }
            }
            @if let Some(data) = &cause.data {
                dt { (t.of("deliveries-data")) } dd { code { (seen(data.as_str())) } @if data.is_cut() { " " (t.of("deliveries-data-cut")) } }
            }
            @if let Some(user) = cause.by { dt { (t.of("deliveries-run-by")) } dd { (seen(&names.row("users", user.into()))) } }
        }
        @if delivery.task.is_some() { dt { (t.of("deliveries-task")) } dd { (task(ctx, delivery, names)) } }
    }
}

/// Of a delivery without a recorded cause.
fn unrecorded<'a>(t: &'a Texts, delivery: &Delivery) -> Cow<'a, str> {
    match delivery.task {
        Some(_) => t.of("deliveries-cause-unknown"),
        None => t.of("deliveries-cause-sent"),
    }
}

/// `Virtual machines: powered on`
fn what(ctx: &PageContext, cause: &Cause) -> String {
    let t = ctx.texts();
    let catalog = ctx.actor.catalog();
    let of = known_type(ctx, cause.event_type.as_str());
    let of = of.map_or(cause.event_type.as_str().into(), |(_, label, _)| label);
    let event = catalog.event_label(&cause.event_type, &cause.event);
    if event.is_none() && (cause.event_type.as_str(), cause.event.as_str()) == BY_HAND {
        return t.of("deliveries-cause-run").into_owned();
    }
    let event = event.map_or(cause.event.as_str().into(), |label| t.rule(label));
    t.with(
        "deliveries-cause-event",
        &[("type", of.into()), ("event", event.into())],
    )
}

/// `web-1 (#3)`; of an object without a name its number.
fn object(t: &Texts, cause: &Cause, names: &Names) -> Option<String> {
    let key = cause.object?;
    let (name, number) = (names.row(cause.event_type.as_str(), key), key.to_string());
    Some(match name.strip_prefix('#') == Some(number.as_str()) {
        true => name,
        false => t.with(
            "deliveries-cause-object",
            &[("name", name.into()), ("number", number.into())],
        ),
    })
}

fn task(ctx: &PageContext, delivery: &Delivery, names: &Names) -> Markup {
    html! {
        @if let Some(id) = delivery.task {
            @match names.tasks.get(&id) {
                Some(name) => a href=(ctx.at(&format!("/tasks/{id}/edit"))) { (seen(name)) },
                None => (ctx.texts().of("deliveries-cause-deleted-task")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chrono::TimeDelta;
    use gatepost_storage::webhooks::DeliveryId;
    use webhook_model::{OwnerId, Retries, WebhookId};

    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-11-21T12:00:00Z".parse().unwrap()
    }

    fn delivery(state: DeliveryState, tries: u32, due_in: i64) -> Delivery {
        Delivery {
            id: DeliveryId(7),
            message_id: "msg_7".parse().unwrap(),
            webhook: WebhookId(1),
            owner: OwnerId(1),
            tenant: None,
            task: None,
            cause: None,
            body: "".into(),
            message_kept: true,
            state,
            class: String::new(),
            status_info: "502 Bad Gateway".into(),
            created: now(),
            due: now() + TimeDelta::seconds(due_in),
            lease_until: None,
            last_attempt: None,
            attempts: tries + 3,
            tries,
            lost_claims: 0,
            response_status: None,
            duration: None,
        }
    }

    fn webhook(retries: u8) -> Webhook {
        let url = "https://example.com/".parse().unwrap();
        Webhook {
            retries: Retries::try_from(i64::from(retries)).unwrap(),
            ..Webhook::new(OwnerId(1), "w".parse().unwrap(), url)
        }
    }

    #[test]
    fn what_waits_says_for_what() {
        use DeliveryState::{Error, Queued, Running};
        let five = webhook(5);
        for (state, tries, due_in, words) in [
            (Queued, 2, 27, "retry 2 of 5, next attempt in 27 seconds"),
            (Queued, 1, 61, "retry 1 of 5, next attempt in 1 minute"),
            (Queued, 5, -3, "retry 5 of 5, next attempt now"),
            (Queued, 9, 27, "retrying, next attempt in 27 seconds"),
            (Queued, 0, -1, "waiting for its turn"),
            (Queued, 0, 60, "first attempt in 1 minute"),
            (Running, 2, 0, "attempt 3 in progress"),
            (Error, 6, 0, "502 Bad Gateway"),
        ] {
            let delivery = delivery(state, tries, due_in);
            let said = standing(&Texts::english(), &delivery, Some(&five), None, now());
            assert_eq!(said, words);
        }
    }

    #[test]
    fn what_is_held_says_by_what_and_not_when() {
        let queued = delivery(DeliveryState::Queued, 0, -1);
        let mut paused = webhook(5);
        paused.activity = Activity::Paused;
        let by = inactive(&paused);
        let said =
            |by: &WaitReason| standing(&Texts::english(), &queued, Some(&paused), Some(by), now());
        assert_eq!(said(&by.unwrap()), "held: webhook is paused");
        assert_eq!(
            said(&WaitReason::Behind(DeliveryId(3))),
            "in order, behind #3"
        );
        let target = said(&WaitReason::Target(Duration::from_millis(4_200)));
        assert_eq!(target, "held: the target is unreachable, retrying in 4.2 s");
        let ended = delivery(DeliveryState::Sent, 1, 0);
        let said = standing(
            &Texts::english(),
            &ended,
            Some(&paused),
            Some(&WaitReason::Owner),
            now(),
        );
        assert_eq!(said, "502 Bad Gateway");
    }
}
