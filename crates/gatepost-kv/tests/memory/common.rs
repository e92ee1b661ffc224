//! A store with a webhook.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_kv::MemoryStore;
use gatepost_storage::AtMost;
use gatepost_storage::webhooks::{
    Claim, Disposition, Enqueue, Enqueued, MessageId, NewDelivery, Origin, QueueStore, RecordStore,
    Settlement, StoredDelivery,
};
use webhook_model::{OwnerId, Webhook, WebhookId};

/// Returns the time this many seconds after the start of the tests' time.
pub(crate) fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(1_800_000_000 + seconds)
}

pub(crate) async fn webhook(
    store: &MemoryStore,
    name: &str,
    edit: impl FnOnce(&mut Webhook),
) -> WebhookId {
    let (name, url) = (name.parse().unwrap(), "https://example.com/".parse());
    let mut webhook = Webhook::new(OwnerId(1), name, url.unwrap());
    edit(&mut webhook);
    let stored = store.insert_webhook(&webhook, AtMost::UNLIMITED, at(0));
    stored.await.unwrap().id
}

/// Returns a message of ten bytes, due at `at(due)`.
pub(crate) fn message(webhook: WebhookId, due: i64) -> NewDelivery {
    NewDelivery {
        message_id: MessageId::new(at(0), 0),
        webhook,
        task: None,
        cause: None,
        body: "0123456789".into(),
        due: at(due),
        lease_until: None,
    }
}

pub(crate) fn direct(deliveries: Vec<NewDelivery>) -> Enqueue {
    Enqueue {
        deliveries,
        ..Enqueue::later(Origin::Direct, Vec::new())
    }
}

/// Stores the deliveries at `at(now)`.
pub(crate) async fn enqueue(
    store: &MemoryStore,
    deliveries: Vec<NewDelivery>,
    now: i64,
) -> Vec<StoredDelivery> {
    match store.enqueue(direct(deliveries), at(now)).await.unwrap() {
        Enqueued::Stored { deliveries, .. } => deliveries,
        other => panic!("not stored: {other:?}"),
    }
}

/// Stores a message at `at(now)` that is sent immediately.
pub(crate) async fn sent(store: &MemoryStore, webhook: WebhookId, now: i64) {
    let leased = NewDelivery {
        lease_until: Some(at(now + 10)),
        ..message(webhook, now)
    };
    let stored = enqueue(store, vec![leased], now).await[0];
    let settlement = Settlement {
        claim: Claim {
            delivery: stored.id,
            token: stored.token.unwrap(),
        },
        disposition: Disposition::Sent,
        status_info: "200 OK".to_owned(),
        attempt: None,
        keep_message: true,
    };
    store.settle(vec![settlement], at(now)).await.unwrap();
}
