//! The engine over the memory store and a real receiver.

use std::sync::atomic::Ordering;
use std::time::Duration;

use chrono::DateTime;
use gatepost_engine::Realm;
use gatepost_storage::webhooks::{DeliveryId, DeliveryLog as _, DeliveryState, RecordStore};
use webhook_model::{Activity, ObjectId, Retries, TagId, Target};

use crate::support::{builder, poweron, receiver, until, world};

#[tokio::test]
async fn an_occurrence_is_delivered_with_its_variables() {
    let world = world().await;
    let (receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let task = world.task(webhook, r#"{"vm":"${NAME}"}"#, false).await;
    world.event(Target::Instance(ObjectId::from(1)), task).await;
    let emitted = world.emit(1, &[]).await;
    let delivery = world.ended(emitted[0]).await;
    assert_eq!(
        (delivery.state, delivery.attempts, delivery.response_status),
        (DeliveryState::Sent, 1, Some(200))
    );
    assert_eq!(receiver.bodies(), [r#"{"vm":"vm \"1\""}"#]);
    assert!(world.emit(2, &[]).await.is_empty());
}

#[tokio::test]
async fn delivery_is_retried_until_sent_or_exhausted() {
    let world = world().await;
    let (receiver, addr) = receiver(false, &[500, 503, 200, 500, 500, 500, 500]).await;
    let webhook = world
        .webhook("w", addr, |w| w.retries = Retries::new(2).unwrap())
        .await;
    let first = world.send(webhook).await;
    let delivery = world.ended(first).await;
    assert_eq!(
        (delivery.state, delivery.attempts),
        (DeliveryState::Sent, 3)
    );
    let second = world.send(webhook).await;
    let delivery = world.ended(second).await;
    assert_eq!(
        (delivery.state, delivery.attempts),
        (DeliveryState::Error, 3)
    );
    assert!(
        delivery.status_info.contains("500"),
        "{}",
        delivery.status_info
    );
    assert_eq!(receiver.bodies().len(), 6);
    assert_eq!(world.engine.attempts(second, 99).await.unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_time_task_under_concurrent_emits_runs_once() {
    let world = world().await;
    let (receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let task = world.task(webhook, "once", true).await;
    world.event(Target::Tag(TagId(4)), task).await;
    let emits: Vec<_> = (0..64)
        .map(|n| {
            let engine = world.engine.clone();
            tokio::spawn(async move { engine.emit(poweron(n, &[4])).await.unwrap().deliveries })
        })
        .collect();
    let mut made = Vec::new();
    for emit in emits {
        made.extend(emit.await.unwrap());
    }
    assert_eq!(made.len(), 1);
    world.ended(made[0]).await;
    assert_eq!(receiver.bodies().len(), 1);
    assert!(world.engine.task(task).await.unwrap().is_none());
    let routes = world.store.routes(Realm::Shared, 100).await.unwrap();
    assert!(routes.unwrap().events.is_empty());
}

#[tokio::test]
async fn two_events_or_repeated_occurrence_run_task_once() {
    let world = world().await;
    let (_receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let task = world.task(webhook, "x", false).await;
    world.event(Target::Instance(ObjectId::from(1)), task).await;
    world.event(Target::Tag(TagId(4)), task).await;
    let named = poweron(1, &[4]).with_id("evt-1".parse().unwrap());
    assert_eq!(
        world
            .engine
            .emit(named.clone())
            .await
            .unwrap()
            .deliveries
            .len(),
        1
    );
    let again = world.engine.emit(named).await.unwrap();
    assert!(again.repeated && again.deliveries.is_empty());
}

#[tokio::test]
async fn paused_webhook_holds_deliveries_and_resumes_in_order() {
    let world = world().await;
    let (receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook_in_order(addr).await;
    world.engine.pause_webhook(webhook).await.unwrap();
    let mut last = DeliveryId(0);
    for n in 0..20 {
        last = world.emit(n, &[1]).await[0];
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(receiver.bodies().is_empty(), "nothing is sent while paused");
    assert_eq!(world.activity(webhook).await, Activity::Paused);
    world.engine.resume_webhook(webhook).await.unwrap();
    world.ended(last).await;
    let bodies = receiver.bodies();
    assert_eq!(
        bodies,
        (0..20).map(|n| format!("vm \"{n}\"")).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn stalled_target_uses_only_its_slots_delaying_none() {
    let world = world().await;
    let (stalled, stalled_addr) = receiver(true, &[]).await;
    let (good, good_addr) = receiver(false, &[]).await;
    let bad = world.webhook("bad", stalled_addr, |_| {}).await;
    for _ in 0..200 {
        world.send(bad).await;
    }
    let fine = world.webhook("good", good_addr, |_| {}).await;
    let mut last = DeliveryId(0);
    for _ in 0..50 {
        last = world.send(fine).await;
    }
    world.ended(last).await;
    assert_eq!(good.bodies().len(), 50);
    assert!((1..=32).contains(&stalled.most_open.load(Ordering::SeqCst)));
    world.engine.shutdown(Duration::from_millis(50)).await;
    let in_flight = world.engine.health().await.unwrap().in_flight;
    let left = world.store.count_queue(DateTime::UNIX_EPOCH).await.unwrap();
    assert_eq!(
        (left.queued, left.running, in_flight),
        (200, 0, 0),
        "what was in flight is given back"
    );
}

#[tokio::test]
async fn event_created_by_another_engine_matches_next_emit() {
    let world = world().await;
    let (_receiver, addr) = receiver(false, &[]).await;
    let other = builder(world.store.clone()).start().await.unwrap();
    assert!(
        other
            .emit(poweron(1, &[1]))
            .await
            .unwrap()
            .deliveries
            .is_empty()
    );
    let webhook = world.webhook("w", addr, |_| {}).await;
    world.tagged(webhook, "x").await;
    assert_eq!(
        other.emit(poweron(1, &[1])).await.unwrap().deliveries.len(),
        1
    );
}

#[tokio::test]
async fn used_webhook_is_kept_and_failed_delivery_replayed() {
    let world = world().await;
    let (receiver, addr) = receiver(false, &[404]).await;
    let webhook = world
        .webhook("w", addr, |w| w.retries = Retries::new(0).unwrap())
        .await;
    world.task(webhook, "x", false).await;
    let error = world
        .engine
        .delete_webhook(webhook, gatepost_storage::webhooks::Cascade::Refuse)
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "tasks use this webhook: t");
    let id = world
        .engine
        .send(webhook, Some(&"body".parse().unwrap()))
        .await
        .unwrap();
    assert_eq!(world.ended(id).await.state, DeliveryState::Error);
    assert_eq!(
        world
            .engine
            .replay(&gatepost_engine::Replay::Ids(vec![id]))
            .await
            .unwrap(),
        1
    );
    until(|| receiver.bodies().len() == 2).await;
    assert_eq!(world.ended(id).await.state, DeliveryState::Sent);
    assert_eq!(receiver.bodies(), ["body", "body"]);
}
