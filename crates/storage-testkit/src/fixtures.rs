//! Records that the clauses store.

use apikey_core::{ApiKey, Expiration, IpPolicy, KeyDraft, Peppers, Prefix};
use chrono::{DateTime, TimeDelta, Utc};
use storage::webhooks::{
    AttemptRecord, Claim, Claimed, Enqueue, Lane, LaneClaim, LaneClass, NewDelivery, Phases,
    Settlement, Source, Verdict,
};
use webhook_model::{Action, Message, Task, Webhook, WebhookId};

use crate::Webhooks;

pub(crate) fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(1_800_000_000 + seconds)
}

pub(crate) fn key(owner: i64, name: &str) -> ApiKey {
    let draft = KeyDraft {
        owner: apikey_core::OwnerId(owner),
        name: name.parse().unwrap(),
        description: "".parse().unwrap(),
        expiration: Expiration::Never,
        ip: IpPolicy::default(),
    };
    let new = draft.issue(
        &Prefix::default(),
        &Peppers::none(),
        &mut rand::rng(),
        at(0),
    );
    new.unwrap().record().clone()
}

pub(crate) fn webhook(name: &str) -> Webhook {
    Webhook::new(
        webhook_model::OwnerId(1),
        name.parse().unwrap(),
        "https://example.com/hook".parse().unwrap(),
    )
}

pub(crate) fn task(webhook: WebhookId) -> Task {
    Task {
        creator: webhook_model::OwnerId(1),
        name: "t".parse().unwrap(),
        description: "".parse().unwrap(),
        enabled: true,
        delete_after_run: true,
        action: Action::Send {
            webhook,
            message: Message::default(),
        },
    }
}

pub(crate) fn message(webhook: WebhookId, id: &str, due: DateTime<Utc>) -> NewDelivery {
    NewDelivery {
        message_id: id.parse().unwrap(),
        webhook,
        task: None,
        body: "{}".into(),
        due,
        lease_until: None,
    }
}

pub(crate) fn direct(deliveries: Vec<NewDelivery>) -> Enqueue {
    Enqueue {
        routes: None,
        source: Source::Direct,
        deliveries,
        consume: Vec::new(),
    }
}

pub(crate) fn lane(webhook: WebhookId, class: LaneClass) -> LaneClaim {
    LaneClaim {
        lane: Lane { webhook, class },
        limit: 100,
    }
}

/// A webhook with these messages, all due at 0.
pub(crate) async fn queued(store: &Webhooks, ids: &[&str]) -> WebhookId {
    let hook = store.records.insert_webhook(&webhook("w"), at(0)).await;
    let hook = hook.unwrap().id;
    let messages = ids.iter().map(|id| message(hook, id, at(0))).collect();
    store.queue.enqueue(direct(messages), at(0)).await.unwrap();
    hook
}

/// Claims what is due in both lanes, for ten seconds.
pub(crate) async fn claim(store: &Webhooks, hook: WebhookId, now: i64) -> Vec<Claimed> {
    let lanes = [lane(hook, LaneClass::First), lane(hook, LaneClass::Retry)];
    let claimed = store.queue.claim(&lanes, at(now + 10), at(now)).await;
    claimed.unwrap()
}

pub(crate) fn settlement(claimed: &Claimed, verdict: Verdict) -> Settlement {
    let attempt = AttemptRecord {
        number: 0,
        started: at(1),
        duration: std::time::Duration::from_millis(12),
        phases: Phases::default(),
        class: "ok".to_owned(),
        info: "200 OK".to_owned(),
        status: Some(200),
        remote: None,
        protocol: None,
        response_head: Vec::new(),
        response_body: vec![0, 255],
        truncated: false,
    };
    let released = matches!(verdict, Verdict::Release { .. });
    Settlement {
        claim: Claim {
            delivery: claimed.delivery.id,
            token: claimed.token,
        },
        verdict,
        status_info: "200 OK".to_owned(),
        attempt: (!released).then_some(attempt),
    }
}
