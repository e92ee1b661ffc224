//! The rows that one emit stores.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use gatepost_storage::webhooks::{DeliveryState, RecordStore as _, RemainingTasks};
use gatepost_storage::{ErrorKind, Revision};
use gatepost_testkit::fault::Fault;
use webhook_model::{Activity, DeliveryOrder, TagId, Target};

use super::*;
use crate::config::InFlightLimits;

#[tokio::test(start_paused = true)]
async fn deliveries_within_free_slots_are_leased_others_wait() {
    let records = Records::new();
    let webhook = records.tagged("${NAME}").await;
    let in_flight = InFlightLimits::default().with_per_webhook(2);
    let limits = Limits::default().with_in_flight(in_flight);
    let (bench, emitter) = bench(&records, &limits).await;
    bench.webhooks.get(webhook, Revision::FIRST).await.unwrap();
    // From the first response on it may have two requests in flight.
    emitter.emit_tagged().await.unwrap();
    pass(&bench, Duration::from_millis(1)).await;
    bench.script.hold();
    for _ in 0..3 {
        emitter.emit_tagged().await.unwrap();
    }
    let states: Vec<_> = records.deliveries().await.iter().map(|d| d.state).collect();
    let running = |state: &&DeliveryState| **state == DeliveryState::Running;
    assert_eq!(states.iter().filter(running).count(), 2);
    assert!(
        bench.admission.has_waiting(webhook),
        "the third waits for the dispatcher"
    );

    // A later one must not overtake it.
    bench.script.gate.add_permits(100);
    pass(&bench, Duration::from_secs(1)).await;
    let fourth = emitter.emit_tagged().await.unwrap().deliveries[0];
    assert_eq!(records.stored(fourth).await.state, DeliveryState::Queued);
    assert_eq!(bench.script.sent(), ["vm 7"; 3]);
    assert_eq!(bench.admission.in_flight(), 0);
    assert_eq!(records.stored(fourth).await.webhook, webhook);
}

#[tokio::test(start_paused = true)]
async fn stopped_engine_or_waiting_webhook_leases_no_delivery() {
    let records = Records::new();
    let mut webhooks = Vec::new();
    for change in [Activity::Paused, Activity::Active] {
        let webhook = records
            .webhook(|w| {
                w.activity = change;
                w.order = DeliveryOrder::InOrder;
            })
            .await;
        let task = records.task(webhook, "x", false).await;
        records.event(Target::Tag(TagId(1)), task).await;
        webhooks.push(webhook);
    }
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    emitter.emit_tagged().await.unwrap();
    let free = records.tagged("x").await;
    webhooks.push(free);
    for webhook in webhooks {
        bench.webhooks.get(webhook, Revision::FIRST).await.unwrap();
    }
    bench.lifecycle.shutdown(Duration::ZERO).await;
    let emit = emitter.emit_detached(poweron(7, &[1]), Emitter::all());
    emit.await.unwrap();
    let deliveries = records.deliveries().await;
    assert!(deliveries.iter().any(|d| d.webhook == free));
    assert!(deliveries.iter().all(|d| d.state == DeliveryState::Queued));
    assert!(bench.script.sent().is_empty());
}

#[tokio::test(start_paused = true)]
async fn record_changes_are_seen_by_the_next_emit() {
    let records = Records::new();
    let (_bench, emitter) = bench(&records, &Limits::default()).await;
    assert!(emitter.emit_tagged().await.unwrap().deliveries.is_empty());
    records.tagged("x").await;
    assert_eq!(emitter.emit_tagged().await.unwrap().deliveries.len(), 1);
    let once = records.webhook(|_| {}).await;
    let once = records.task(once, "once", true).await;
    records.event(Target::Tag(TagId(1)), once).await;
    assert_eq!(emitter.emit_tagged().await.unwrap().deliveries.len(), 2);
    assert!(records.store.task(once).await.unwrap().is_none());
    assert_eq!(emitter.emit_tagged().await.unwrap().deliveries.len(), 1);
    let by_hand = RemainingTasks::Tasks(vec![once]);
    let gone = emitter.emit(&poweron(7, &[]), by_hand).await.unwrap();
    assert!(gone.deliveries.is_empty());
}

#[tokio::test(start_paused = true)]
async fn store_or_clock_panic_is_a_transient_error() {
    let records = Records::new();
    records.tagged("x").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    for fault in ["store", "clock"] {
        if fault == "store" {
            bench.store.fail("enqueue", 1, Fault::Panic);
        } else {
            bench.broken.set_broken(true);
        }
        let emit = emitter.emit_detached(poweron(7, &[1]), Emitter::all());
        let EmitError::Store(error) = emit.await.unwrap_err() else {
            panic!("{fault}");
        };
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{fault}");
    }
    assert_eq!(bench.admission.in_flight(), 0);
}

#[tokio::test(start_paused = true)]
async fn unrenderable_message_does_not_refuse_the_occurrence() {
    let records = Records::new();
    records.tagged(&"${NAME}".repeat(5_000)).await;
    let (_bench, emitter) = bench(&records, &Limits::default()).await;
    let mut occurrence = poweron(7, &[1]).with_id("evt-1".parse().unwrap());
    occurrence.object.as_mut().unwrap().name = "n".repeat(1_000);
    let emitted = emitter.emit(&occurrence, Emitter::all()).await.unwrap();
    assert_eq!(emitted.unrendered.len(), 1);
    assert!(emitted.deliveries.is_empty() && !emitted.repeated);
    let again = emitter.emit(&occurrence, Emitter::all()).await.unwrap();
    assert!(again.repeated);
}

#[tokio::test(start_paused = true)]
async fn emit_does_not_reread_cached_records() {
    let records = Records::new();
    records.tagged("x").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    let calls = async || {
        let before = bench.store.calls();
        emitter.emit_tagged().await.unwrap();
        bench.store.calls() - before
    };
    assert_eq!(calls().await, 3, "the realm, a message, the enqueue");
    assert_eq!(calls().await, 1);
    records.tagged("y").await;
    assert_eq!(calls().await, 4, "a lost race, what changed, a message");
    assert_eq!(calls().await, 1);
}

/// Returns the result, and how often others have a turn before it is done.
fn turns(emit: impl Future<Output = Result<Emitted, EmitError>>) -> (Emitted, usize) {
    let (mut emit, mut turns) = (pin!(emit), 0);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match emit.as_mut().poll(&mut context) {
            Poll::Ready(emitted) => return (emitted.unwrap(), turns),
            Poll::Pending => turns += 1,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn emit_yields_between_large_messages() {
    let records = Records::new();
    for _ in 0..20 {
        records.tagged(&"x".repeat(100_000)).await;
    }
    let (_bench, emitter) = bench(&records, &Limits::default()).await;
    emitter.emit_tagged().await.unwrap();
    let (emitted, many) = turns(emitter.emit_tagged());
    assert_eq!(emitted.deliveries.len(), 20);
    assert!(many >= 20, "{many}");

    let records = Records::new();
    records.tagged("${NAME}").await;
    let (_bench, emitter) = bench(&records, &Limits::default()).await;
    emitter.emit_tagged().await.unwrap();
    assert_eq!(
        turns(emitter.emit_tagged()).1,
        0,
        "a small one is one piece"
    );
}
