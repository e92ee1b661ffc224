//! The dispatcher over a worker that sends by script.

use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::webhooks::DeliveryState;
use webhook_model::{Activity, DeliveryOrder};

use super::Dispatcher;
use super::pass::FROM_ONE_LANE;
use crate::config::{InFlightLimits, Limits, RateLimits};
use crate::testing::{Bench, RETRY_AFTER, Records, Script};

/// A dispatcher that runs, over what is in the store.
async fn run(records: &Records, limits: Limits, script: Script) -> Bench {
    let bench = Bench::new(records, &limits, script).await;
    let dispatcher = Arc::new(Dispatcher {
        store: bench.store.clone(),
        webhooks: bench.webhooks.clone(),
        admission: bench.admission.clone(),
        worker: bench.worker.clone(),
        judge: bench.judge.clone(),
        clock: bench.clock.clone(),
        timing: limits.timing,
    });
    bench
        .lifecycle
        .supervise("dispatch", move || dispatcher.clone().run());
    bench
}

async fn states(records: &Records, state: DeliveryState) -> usize {
    let deliveries = records.deliveries().await;
    deliveries.iter().filter(|d| d.state == state).count()
}

async fn a_second() {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn what_waits_is_found_and_lanes_take_turns() {
    let records = Records::new();
    let (one, two) = (records.webhook(|_| {}).await, records.webhook(|_| {}).await);
    for n in 0..40 {
        records.waiting(one, &format!("a{n}")).await;
    }
    records.waiting(two, "b").await;
    let bench = run(&records, Limits::default(), Script::new(&[])).await;
    a_second().await;
    assert_eq!(states(&records, DeliveryState::Sent).await, 41);
    let turn = bench.script.sent().iter().position(|body| body == "b");
    assert!(turn.unwrap() <= 2 * FROM_ONE_LANE, "{turn:?}");
}

#[tokio::test(start_paused = true)]
async fn no_more_is_claimed_than_there_is_room_for() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    for _ in 0..20 {
        records.waiting(webhook, "x").await;
    }
    let in_flight = InFlightLimits::default().with_per_webhook(3);
    let script = Script::new(&[]);
    script.hold();
    let limits = Limits::default().with_in_flight(in_flight);
    let bench = run(&records, limits, script).await;
    a_second().await;
    assert_eq!(states(&records, DeliveryState::Running).await, 3);
    bench.script.gate.add_permits(100);
    a_second().await;
    assert_eq!(states(&records, DeliveryState::Sent).await, 20);
}

#[tokio::test(start_paused = true)]
async fn one_after_the_other_where_order_was_asked_for_and_nothing_of_a_paused_webhook() {
    let records = Records::new();
    let ordered = records.webhook(|w| w.order = DeliveryOrder::InOrder).await;
    let paused = records.webhook(|w| w.activity = Activity::Paused).await;
    for n in 0..5 {
        records.waiting(ordered, &n.to_string()).await;
        records.waiting(paused, "p").await;
    }
    let bench = run(&records, Limits::default(), Script::new(&[])).await;
    a_second().await;
    assert_eq!(bench.script.sent(), ["0", "1", "2", "3", "4"]);
    records.set_activity(paused, Activity::Active).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(states(&records, DeliveryState::Sent).await, 10);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_claimed_while_nothing_can_be_recorded() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    let first = records.waiting(webhook, "first").await;
    let bench = run(&records, Limits::default(), Script::new(&[])).await;
    bench.store.set_refused("settle", true);
    a_second().await;
    records.waiting(webhook, "second").await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(bench.script.sent(), ["first"]);
    bench.store.set_refused("settle", false);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(bench.script.sent(), ["first", "second"]);
    assert_eq!(records.stored(first).await.attempts, 1);
}

#[tokio::test(start_paused = true)]
async fn retries_leave_when_they_are_due_and_at_their_pace() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    for _ in 0..10 {
        records.waiting(webhook, "x").await;
    }
    let rates = RateLimits::default().with_retries_per_second(2);
    let limits = Limits::default().with_rates(rates);
    let bench = run(&records, limits, Script::new(&[500; 10])).await;
    a_second().await;
    assert_eq!(states(&records, DeliveryState::Queued).await, 10);
    assert_eq!(bench.script.sent().len(), 10);
    bench.broken.clock.advance(RETRY_AFTER * 2);
    tokio::time::sleep(Duration::from_secs(3)).await;
    let retried = bench.script.sent().len() - 10;
    assert!((5..=8).contains(&retried), "two a second: {retried}");
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(states(&records, DeliveryState::Sent).await, 10);
}
