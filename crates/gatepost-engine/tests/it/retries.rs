//! The times of retries, and deliveries that wait for them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use delivery::Schedule;
use gatepost_engine::{Limits, Timing};
use gatepost_storage::ManualClock;
use gatepost_storage::webhooks::{DeliveryId, DeliveryLog, DeliveryState};

use crate::support::{receiver, until, world, world_with};

#[tokio::test]
async fn no_retry_leaves_before_its_due_time() {
    let clock = Arc::new(ManualClock::at("2026-03-01T12:00:00Z".parse().unwrap()));
    let limits =
        Limits::default().with_timing(Timing::default().with_poll(Duration::from_millis(20)));
    let schedule = Schedule::new([Duration::from_secs(60)]).unwrap();
    let world = world_with(|builder| {
        builder
            .clock(clock.clone())
            .limits(limits)
            .schedule(schedule)
            .seed(7)
    })
    .await;
    let (receiver, addr) = receiver(false, &[500]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let id = world.send(webhook).await;
    until(|| receiver.bodies().len() == 1).await;
    let mut waiting = world.store.delivery(id).await.unwrap().unwrap();
    while waiting.state != DeliveryState::Queued {
        tokio::time::sleep(Duration::from_millis(5)).await;
        waiting = world.store.delivery(id).await.unwrap().unwrap();
    }
    let wait = (waiting.due - gatepost_storage::Clock::now(clock.as_ref())).num_seconds();
    assert!((47..=72).contains(&wait), "60 s ± 20 %, not {wait}");
    assert!(
        waiting.status_info.contains("500"),
        "{}",
        waiting.status_info
    );

    clock.advance(Duration::from_secs(wait.unsigned_abs() - 1));
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(receiver.bodies().len(), 1);
    clock.advance(Duration::from_secs(2));
    assert_eq!(world.ended(id).await.attempts, 2);
}

#[tokio::test]
async fn in_order_retry_delays_later_deliveries() {
    let world = world().await;
    let (receiver, addr) = receiver(false, &[200, 500, 503]).await;
    world.webhook_in_order(addr).await;
    let mut last = DeliveryId(0);
    for n in 0..4 {
        last = world.emit(n, &[1]).await[0];
    }
    world.ended(last).await;
    let expected: Vec<_> = [0, 1, 1, 1, 2, 3]
        .iter()
        .map(|n| format!("vm \"{n}\""))
        .collect();
    assert_eq!(receiver.bodies(), expected);
    assert_eq!(receiver.most_open.load(Ordering::SeqCst), 1);
}
