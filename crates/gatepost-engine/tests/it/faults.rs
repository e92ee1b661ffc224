//! A store that is full or unavailable, and a cancelled caller. (Each single call that fails:
//! `error_sweep` among the tests of the whole.)

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{DeliveryId, DeliveryLog, DeliveryState, QueueStore};
use gatepost_testkit::fault::FaultStore;
use gatepost_testkit::fixtures::direct;
use webhook_model::WebhookId;

use crate::support::{World, builder, poweron, receiver, until, world};

#[tokio::test]
async fn unrecordable_outcomes_stop_sending_until_store_recovers() {
    let memory = Arc::new(MemoryStore::new());
    let store = Arc::new(FaultStore::new(memory.clone()));
    let (receiver, addr) = receiver(true, &[]).await;
    let engine = builder(store.clone()).start().await.unwrap();
    let world = World {
        store: memory.clone(),
        engine,
    };
    let webhook = world.webhook("w", addr, |_| {}).await;
    let first = world.send(webhook).await;
    until(|| receiver.open.load(Ordering::SeqCst) == 1).await;

    store.set_refused("settle", true);
    receiver.stall.add_permits(100);
    for _ in 0..100 {
        if !world.engine.health().await.unwrap().recording {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(!world.engine.health().await.unwrap().recording);
    let second = queued_behind_its_back(&memory, webhook).await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(receiver.bodies().len(), 1);
    store.set_down(true);
    assert!(world.engine.health().await.is_err());

    store.set_down(false);
    store.set_refused("settle", false);
    assert_eq!(world.ended(first).await.attempts, 1);
    assert_eq!(world.ended(second).await.state, DeliveryState::Sent);
    assert_eq!(receiver.bodies().len(), 2, "each was sent once");
}

/// Queues a delivery as another process.
async fn queued_behind_its_back(memory: &Arc<MemoryStore>, webhook: WebhookId) -> DeliveryId {
    use gatepost_storage::webhooks::{Enqueued, NewDelivery};
    let now = gatepost_storage::Clock::now(&gatepost_storage::SystemClock);
    let new = NewDelivery {
        message_id: "msg_other".parse().unwrap(),
        webhook,
        task: None,
        cause: None,
        body: "{}".into(),
        due: now,
        lease_until: None,
    };
    let batch = direct(vec![new]);
    match memory.enqueue(batch, now).await.unwrap() {
        Enqueued::Stored { deliveries, .. } => deliveries[0].id,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn dropped_emit_call_still_completes_its_delivery() {
    let world = world().await;
    let (_receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    world.tagged(webhook, "x").await;
    tokio::select! {
        biased;
        _ = world.engine.emit(poweron(1, &[1])) => panic!("was to be dropped"),
        () = std::future::ready(()) => {}
    }
    for _ in 0..500 {
        if world.store.delivery(DeliveryId(1)).await.unwrap().is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let delivery = world.ended(DeliveryId(1)).await;
    assert_eq!(
        (delivery.state, delivery.lost_claims),
        (DeliveryState::Sent, 0)
    );
}
