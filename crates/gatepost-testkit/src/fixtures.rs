//! Records that the clauses store.

use apikey_core::{ApiKey, Expiration, IpPolicy, KeyDraft, Peppers, Prefix};
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{
    AttemptRecord, Claim, Claimed, Disposition, Enqueue, Lane, LaneClaim, LaneClass, NewDelivery,
    Origin, Phases, Settlement,
};
use webhook_model::{
    Action, Activity, Authorization, DeliveryOrder, Event, Headers, JsonObject, Message, ObjectId,
    RateLimit, Retries, SigningSecret, SigningSecrets, Target, Task, TaskId, Timeout, Webhook,
    WebhookId,
};

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

pub(crate) fn event(task: TaskId) -> Event {
    Event {
        event_type: "vms".parse().unwrap(),
        event: "poweron".parse().unwrap(),
        target: Target::Generic,
        task,
        enabled: true,
        filters: JsonObject::default(),
        context: JsonObject::default(),
    }
}

/// What no answer, error or dump may hold.
pub(crate) const SECRETS: [&str; 4] = [
    "canary-bearer-8d1f",
    "canary-header-77ab",
    "whsec_Y2FuYXJ5LXNpZ25pbmctc2VjcmV0LTQ0Y2M=",
    "canary-cookie-19e0",
];

/// A webhook that differs from a new one in every part.
pub(crate) fn full_webhook() -> Webhook {
    let pairs = [
        ("X-Second", "b"),
        ("X-First", "a b; {c}"),
        ("x-second", ""),
        ("X-Api-Key", SECRETS[1]),
        ("Cookie", SECRETS[3]),
    ];
    let signing = ["whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", SECRETS[2]];
    let signing = signing.map(|s| SigningSecret::parse(s).unwrap()).to_vec();
    Webhook {
        owner: webhook_model::OwnerId(7),
        name: "naïve \"name\" \\ % _ 😀".parse().unwrap(),
        url: "https://user-agent.example:8443/p?q=%20&r=é"
            .parse()
            .unwrap(),
        authorization: Authorization::bearer(SECRETS[0]).unwrap(),
        headers: Headers::from_pairs(pairs).unwrap(),
        allow_insecure: true,
        timeout: Timeout::MAX,
        retries: Retries::new(9).unwrap(),
        activity: Activity::Disabled,
        order: DeliveryOrder::InOrder,
        signing: SigningSecrets::new(signing).unwrap(),
        rate: Some(RateLimit::per_second(12).unwrap()),
    }
}

/// A task that differs from a new one in every part.
pub(crate) fn full_task(webhook: WebhookId) -> Task {
    Task {
        creator: webhook_model::OwnerId(8),
        name: "tâche '; --".parse().unwrap(),
        description: "two\nlines\tand a tab".parse().unwrap(),
        enabled: false,
        delete_after_run: true,
        action: Action::Send {
            webhook,
            message: "{\"a\": \"{{name}}\\u0000\"}\0\r\n \u{2028}"
                .parse()
                .unwrap(),
        },
    }
}

/// An event that differs from a new one in every part.
pub(crate) fn full_event(task: TaskId) -> Event {
    let object = |text: &str| {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        JsonObject::new(value.as_object().unwrap().clone()).unwrap()
    };
    Event {
        target: Target::Instance(ObjectId(i64::MAX)),
        enabled: false,
        filters: object(r#"{"b": 1, "a": [null, "é\"", 1.5], "": {}}"#),
        context: object(r#"{"z": "\u2028"}"#),
        ..event(task)
    }
}

/// Edits a webhook.
pub(crate) async fn change(store: &Webhooks, hook: WebhookId, edit: impl FnOnce(&mut Webhook)) {
    let mut row = store.records.webhook(hook).await.unwrap().unwrap();
    edit(&mut row.value);
    store.records.update_webhook(&row, at(0)).await.unwrap();
}

/// Claims what is due and ends it so.
pub(crate) async fn end(store: &Webhooks, hook: WebhookId, verdict: Disposition, now: i64) {
    let claimed = claim(store, hook, now).await;
    let all = claimed.iter().map(|c| settlement(c, verdict.clone()));
    store.queue.settle(all.collect(), at(now)).await.unwrap();
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
        source: Origin::Direct,
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

pub(crate) fn settlement(claimed: &Claimed, verdict: Disposition) -> Settlement {
    let claim = Claim {
        delivery: claimed.delivery.id,
        token: claimed.token,
    };
    settlement_of(claim, verdict)
}

pub(crate) fn settlement_of(claim: Claim, verdict: Disposition) -> Settlement {
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
    let released = matches!(verdict, Disposition::Release { .. });
    Settlement {
        claim,
        verdict,
        status_info: "200 OK".to_owned(),
        attempt: (!released).then_some(attempt),
    }
}
