//! The state and the cause of a delivery in words.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use gatepost_manage::WaitReason;
use gatepost_storage::webhooks::{Cause, Delivery, DeliveryState};
use maud::{Markup, html};
use webhook_model::{Activity, DeliveryMode, ObjectId, Webhook};

use crate::context::PageContext;
use crate::layout::{self, badge, seen};
use crate::names::{Names, known_type};
use crate::texts::Texts;
use crate::time::{away, span};

/// The type and the event that the engine records for a task that a user runs.
const BY_HAND: (&str, &str) = ("tasks", "execute");

/// Returns the state of a delivery in one word, and the colour of its badge.
pub(crate) fn state_of<'a>(
    texts: &'a Texts,
    delivery: &Delivery,
    wait_reason: Option<&WaitReason>,
) -> (Cow<'a, str>, &'static str) {
    use WaitReason::{Inactive, Owner, Target};
    match (delivery.state, wait_reason) {
        (DeliveryState::Queued, Some(Inactive(_) | Owner | Target(_))) => {
            (texts.of("frame-state-held"), "")
        }
        (DeliveryState::Queued, _) if delivery.tries > 0 => {
            (texts.of("frame-state-retrying"), "warn")
        }
        (state, _) => layout::state(texts, state),
    }
}

/// Renders badges for the state, and for a test.
pub(crate) fn badges(
    texts: &Texts,
    delivery: &Delivery,
    wait_reason: Option<&WaitReason>,
) -> Markup {
    let (word, kind) = state_of(texts, delivery, wait_reason);
    html! {
        (badge(kind, &word))
        @if delivery.message_id.is_test() { " " (badge("busy", &texts.of("deliveries-test"))) }
    }
}

/// Renders the outcome of a delivery, or the reason for which it waits.
pub(crate) fn standing(
    texts: &Texts,
    delivery: &Delivery,
    webhook: Option<&Webhook>,
    wait_reason: Option<&WaitReason>,
    now: DateTime<Utc>,
) -> Markup {
    match delivery.state {
        DeliveryState::Sent | DeliveryState::Error => {
            html! { (texts.rule(&delivery.status_info)) }
        }
        DeliveryState::Running => {
            let number = u64::from(delivery.tries) + 1;
            texts.markup("deliveries-running-attempt", &[("number", number.into())])
        }
        DeliveryState::Queued => match wait_reason.and_then(|by| held(texts, by)) {
            Some(held) => html! { (held) },
            None => waits(texts, delivery, webhook, now),
        },
    }
}

/// Returns why a delivery is in its state, for a row too short to show it; may be empty.
pub(crate) fn hint(texts: &Texts, delivery: &Delivery, wait_reason: Option<&WaitReason>) -> String {
    match delivery.state {
        DeliveryState::Queued => wait_reason.and_then(|by| held(texts, by)),
        _ => None,
    }
    .unwrap_or_else(|| texts.rule(&delivery.status_info).into_owned())
}

/// Returns the reason that a list knows without a further query: whether the webhook sends at all.
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

/// Renders the state of a delivery that only waits for its time or for earlier deliveries.
fn waits(
    texts: &Texts,
    delivery: &Delivery,
    webhook: Option<&Webhook>,
    now: DateTime<Utc>,
) -> Markup {
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
        ("when", away(texts, delivery.due, now).into()),
        ("number", u64::from(tries).into()),
        ("of", u64::from(of.unwrap_or_default()).into()),
    ];
    texts.markup(name, &values)
}

/// Returns the event and its object, as a title.
pub(crate) fn title(ctx: &PageContext, delivery: &Delivery, names: &Names) -> String {
    let t = ctx.texts();
    let Some(cause) = &delivery.cause else {
        return unrecorded(t, delivery).into_owned();
    };
    match object(t, cause, names) {
        Some(object) => format!("{} · {object}", what(ctx, cause)),
        None => what(ctx, cause),
    }
}

/// Renders the details of the cause that are not in the title.
pub(crate) fn facts(ctx: &PageContext, delivery: &Delivery, names: &Names) -> Markup {
    let (t, cause) = (ctx.texts(), delivery.cause.as_ref());
    html! {
        @if delivery.task.is_some() { div { dt { (t.of("deliveries-task")) } dd { (task(ctx, delivery, names)) } } }
        @if let Some(user) = cause.and_then(|cause| cause.by) { div { dt { (t.of("deliveries-run-by")) } dd { (seen(&names.row("users", user.into()))) } } }
        @if let Some(id) = cause.and_then(|cause| cause.occurrence.as_ref()) { div { dt { (t.of("deliveries-occurrence-id")) } dd { code { (id) } } } }
        @if let Some(trace) = cause.and_then(|cause| cause.trace.as_ref()) {
            div { dt { (t.of("deliveries-trace")) } dd { code { (format!("{:032x}", trace.parent.trace_id())) } } }
        }
    }
}

/// Returns the text for a delivery without a recorded cause.
fn unrecorded<'a>(t: &'a Texts, delivery: &Delivery) -> Cow<'a, str> {
    match delivery.task {
        Some(_) => t.of("deliveries-cause-unknown"),
        None => t.of("deliveries-cause-sent"),
    }
}

/// Returns a text such as `Virtual machines: powered on`.
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

/// Returns a text such as `web-1 (#3)`, or the number of an object without a name.
fn object(t: &Texts, cause: &Cause, names: &Names) -> Option<String> {
    // The object of a task that is run without one has the number 0.
    let key = cause.object.filter(|key| *key != ObjectId::from(0))?;
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

    /// Returns the words of a text, without its markup.
    fn words(markup: &Markup) -> String {
        let parts = markup.0.split('<').map(|part| part.rsplit('>').next());
        parts.flatten().collect()
    }

    #[test]
    fn delivery_status_says_what_it_waits_for() {
        use DeliveryState::{Error, Queued, Running};
        let five = webhook(5);
        for (state, tries, due_in, phrase) in [
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
            assert_eq!(words(&said), phrase);
        }
    }

    #[test]
    fn delivery_of_each_state_has_one_word() {
        use DeliveryState::{Error, Queued, Running, Sent};
        let paused = WaitReason::Inactive(Activity::Paused);
        for (state, tries, reason, word) in [
            (Queued, 0, None, "Waiting"),
            (Queued, 3, None, "Retrying"),
            (Queued, 3, Some(&WaitReason::Rate), "Retrying"),
            (Queued, 0, Some(&paused), "Held"),
            (Running, 3, None, "Running"),
            (Sent, 1, Some(&paused), "Delivered"),
            (Error, 1, None, "Failed"),
        ] {
            let texts = Texts::english();
            let found = state_of(&texts, &delivery(state, tries, 0), reason);
            assert_eq!(found.0, word);
        }
    }

    #[test]
    fn held_delivery_status_names_the_cause() {
        let queued = delivery(DeliveryState::Queued, 0, -1);
        let mut paused = webhook(5);
        paused.activity = Activity::Paused;
        let by = inactive(&paused);
        let said = |by: &WaitReason| {
            standing(&Texts::english(), &queued, Some(&paused), Some(by), now()).0
        };
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
        assert_eq!(said.0, "502 Bad Gateway");
    }
}
