//! A webhook in order has at most one delivery running, however it came to run.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{
    Basis, Enqueue, Lane, LaneClaim, LaneClass, MessageId, NewDelivery, Origin, QueueStore,
    RecordStore,
};
use gatepost_storage::{AtMost, MemoryStore};
use webhook_model::{DeliveryOrder, OwnerId, Webhook};

#[tokio::test]
async fn nothing_is_claimed_while_a_newer_delivery_runs() {
    let store = MemoryStore::new();
    let now: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
    let mut webhook = Webhook::new(
        OwnerId(1),
        "w".parse().unwrap(),
        "https://example.com/".parse().unwrap(),
    );
    webhook.order = DeliveryOrder::InOrder;
    let stored = store.insert_webhook(&webhook, AtMost::UNLIMITED, now).await;
    let webhook = stored.unwrap().id;
    let new = |n: u128, lease_until| NewDelivery {
        message_id: MessageId::new(now, n),
        webhook,
        task: None,
        body: "x".into(),
        due: now,
        lease_until,
    };
    let lease = Some(now + TimeDelta::seconds(30));
    let batch = Enqueue {
        basis: Basis::Nothing,
        origin: Origin::Direct,
        deliveries: vec![new(1, None), new(2, lease)],
        consume: Vec::new(),
        later: Vec::new(),
    };
    store.enqueue(batch, now).await.unwrap();
    let lane = Lane {
        webhook,
        class: LaneClass::First,
    };
    let alone = Lane {
        class: LaneClass::Alone,
        ..lane
    };
    let claim = [lane, alone].map(|lane| LaneClaim { lane, limit: 5 });
    assert!(
        store
            .claim(&claim, now + TimeDelta::seconds(30), now)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(store.lanes_of(&[webhook], now).await.unwrap().is_empty());
    store
        .reclaim(10, now + TimeDelta::seconds(31))
        .await
        .unwrap();
    let later = now + TimeDelta::seconds(31);
    assert_eq!(
        store
            .claim(&claim, later + TimeDelta::seconds(30), later)
            .await
            .unwrap()
            .len(),
        1,
        "the oldest, once nothing runs"
    );
}
