//! Guarantees for the platform's operator: manual sends, forbidden targets, deletions.

use std::sync::atomic::Ordering;
use std::time::Duration;

use gatepost_engine::{EngineError, RunContext, TriggerInput};
use gatepost_storage::webhooks::{Cascade, DeliveryLog, DeliveryState};
use webhook_model::{ObjectId, Target};

use crate::support::{receiver, until, world};

#[tokio::test]
async fn tasks_and_events_run_manually_unless_disabled() {
    let world = world().await;
    let (receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let task = world.task(webhook, "${NAME}!", false).await;
    world.event(Target::Instance(ObjectId::from(9)), task).await;
    let by_hand = world
        .engine
        .run_task(task, RunContext::default(), None)
        .await
        .unwrap();
    assert_eq!(world.ended(by_hand.deliveries[0]).await.body.as_ref(), "!");
    let fired = world
        .engine
        .trigger_event(
            webhook_model::EventId(1),
            Some("nine".to_owned()),
            TriggerInput::default(),
            None,
        )
        .await
        .unwrap();
    assert_eq!(
        world.ended(fired.deliveries[0]).await.body.as_ref(),
        "nine!"
    );
    assert_eq!(world.engine.last_runs(&[task]).await.unwrap().len(), 1);
    world
        .engine
        .edit_task(task, |t| {
            t.enabled = false;
            Ok(())
        })
        .await
        .unwrap();
    assert!(matches!(
        world
            .engine
            .run_task(task, RunContext::default(), None)
            .await,
        Err(EngineError::NotFound)
    ));
    assert!(world.emit(9, &[]).await.is_empty());
    assert_eq!(receiver.bodies().len(), 2);
}

#[tokio::test]
async fn forbidden_target_fails_in_preview_and_without_retries() {
    let world = world().await;
    let webhook = world
        .webhook("w", "10.0.0.1:80".parse().unwrap(), |_| {})
        .await;
    let row = world.engine.webhook(webhook).await.unwrap().unwrap();
    let preview = world.engine.preview(&row.value, None).unwrap();
    assert!(preview.verdict.is_err() && preview.head.starts_with(b"POST /w HTTP/1.1"));
    let id = world.send(webhook).await;
    let delivery = world.ended(id).await;
    assert_eq!(
        (delivery.state, delivery.attempts),
        (DeliveryState::Error, 1)
    );
}

#[tokio::test]
async fn deleted_webhook_removes_its_running_delivery() {
    let world = world().await;
    let (stalled, addr) = receiver(true, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    world.task(webhook, "x", false).await;
    let id = world.send(webhook).await;
    until(|| stalled.open.load(Ordering::SeqCst) == 1).await;
    world
        .engine
        .delete_webhook(webhook, Cascade::Tasks)
        .await
        .unwrap();
    stalled.stall.add_permits(10);
    until(|| stalled.bodies().len() == 1).await;
    world.engine.shutdown(Duration::from_secs(2)).await;
    assert!(world.store.delivery(id).await.unwrap().is_none());
    assert_eq!(world.engine.health().await.unwrap().in_flight, 0);
}
