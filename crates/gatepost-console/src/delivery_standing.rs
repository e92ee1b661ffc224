//! How a delivery stands, in words.

use chrono::{DateTime, Utc};
use gatepost_manage::Holdup;
use gatepost_storage::webhooks::{Delivery, DeliveryState};
use maud::{Markup, html};
use webhook_model::{Activity, Webhook};

use crate::layout::{badge, state};
use crate::texts::Texts;
use crate::time::{distance, span};

/// The state, and whether a task was tested by it.
pub(crate) fn badges(texts: &Texts, delivery: &Delivery) -> Markup {
    let (word, kind) = state(texts, delivery.state);
    html! { (badge(kind, &word)) @if delivery.message_id.is_test() { " " (badge("busy", "test")) } }
}

/// What is said beside the state: how it ended, or what it waits for.
pub(crate) fn standing(
    texts: &Texts,
    delivery: &Delivery,
    webhook: Option<&Webhook>,
    holdup: Option<&Holdup>,
    now: DateTime<Utc>,
) -> String {
    match delivery.state {
        DeliveryState::Sent | DeliveryState::Error => delivery.status_info.clone(),
        DeliveryState::Running => format!("attempt {} in progress", u64::from(delivery.tries) + 1),
        DeliveryState::Queued => match holdup.and_then(|by| held(texts, by)) {
            Some(held) => held,
            None => waits(texts, delivery, webhook, now),
        },
    }
}

/// What a list knows without a further look: whether the webhook sends at all.
pub(crate) fn inactive(webhook: &Webhook) -> Option<Holdup> {
    let activity = webhook.activity;
    (activity != Activity::Active).then_some(Holdup::Inactive(activity))
}

fn held(texts: &Texts, by: &Holdup) -> Option<String> {
    Some(match by {
        Holdup::Inactive(Activity::Disabled) => "held: webhook is disabled".into(),
        Holdup::Inactive(_) => "held: webhook is paused".into(),
        Holdup::Owner => "held: the owner's account is disabled".into(),
        Holdup::Behind(first) => format!("in order, behind #{first}"),
        Holdup::Target(left) => format!(
            "held: the target cannot be reached, tried again in {}",
            span(texts, *left)
        ),
        Holdup::Rate => "waiting: the webhook's requests per second are used up".into(),
        Holdup::Room => "waiting: as many requests are in flight as allowed".into(),
        _ => return None,
    })
}

/// Nothing is in its way but its time, or its turn.
fn waits(
    texts: &Texts,
    delivery: &Delivery,
    webhook: Option<&Webhook>,
    now: DateTime<Utc>,
) -> String {
    let (tries, is_due) = (delivery.tries, delivery.due <= now);
    let when = distance(texts, delivery.due, now);
    let retries = webhook.map(|webhook| webhook.retries.get());
    match (tries, retries) {
        (0, _) if is_due => "waiting for its turn".into(),
        (0, _) => format!("first attempt {when}"),
        (_, Some(of)) if tries <= of && is_due => format!("retrying {tries} of {of}, next now"),
        (_, Some(of)) if tries <= of => format!("retrying {tries} of {of}, next {}", short(&when)),
        _ if is_due => "retrying, next now".into(),
        _ => format!("retrying, next {}", short(&when)),
    }
}

/// `in 27 s`
fn short(when: &str) -> String {
    let unit = |text: &str, long: &str, short: &str| {
        let plural = text.strip_suffix(&format!(" {long}s"));
        let count = plural.or_else(|| text.strip_suffix(&format!(" {long}")));
        count.map(|count| format!("{count} {short}"))
    };
    [("second", "s"), ("minute", "min"), ("hour", "h")]
        .into_iter()
        .find_map(|(long, abbreviated)| unit(when, long, abbreviated))
        .unwrap_or_else(|| when.to_owned())
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
            (Queued, 2, 27, "retrying 2 of 5, next in 27 s"),
            (Queued, 1, 61, "retrying 1 of 5, next in 1 min"),
            (Queued, 5, -3, "retrying 5 of 5, next now"),
            (Queued, 9, 27, "retrying, next in 27 s"),
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
            |by: &Holdup| standing(&Texts::english(), &queued, Some(&paused), Some(by), now());
        assert_eq!(said(&by.unwrap()), "held: webhook is paused");
        assert_eq!(said(&Holdup::Behind(DeliveryId(3))), "in order, behind #3");
        let target = said(&Holdup::Target(Duration::from_millis(4_200)));
        assert_eq!(
            target,
            "held: the target cannot be reached, tried again in 4.2 s"
        );
        let ended = delivery(DeliveryState::Sent, 1, 0);
        let said = standing(
            &Texts::english(),
            &ended,
            Some(&paused),
            Some(&Holdup::Owner),
            now(),
        );
        assert_eq!(said, "502 Bad Gateway");
    }
}
