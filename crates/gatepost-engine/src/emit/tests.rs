//! The emitter and the drain of the outbox over a worker that sends by script.

use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::webhooks::{DeliveryState, Origin, OutboxStore as _, RecordStore as _};
use gatepost_storage::{ErrorKind, MemoryStore};
use gatepost_testkit::fault::{Fault, FaultStore};
use webhook_model::{Activity, DeliveryOrder, Occurrence, TagId, Target};

use super::emitted::Trigger;
use super::emitter::Emitter;
use super::outbox::OutboxDrain;
use crate::config::{EmitLimits, InFlightLimits, Limits};
use crate::error::EmitError;
use crate::testing::{Bench, Records, Script, poweron};

async fn bench(records: &Records, limits: &Limits) -> (Bench, Arc<Emitter>) {
    let bench = Bench::new(records, limits, Script::new(&[])).await;
    let emitter = bench.emitter(limits.clone());
    (bench, emitter)
}

impl Emitter {
    async fn emit_tagged(&self) -> Result<super::Emitted, EmitError> {
        let occurrence = poweron(7, &[1]);
        self.emit(&occurrence, Trigger::Matching, Origin::Direct)
            .await
    }
}

#[tokio::test(start_paused = true)]
async fn what_there_is_room_for_is_leased_and_sent_at_once_and_the_rest_waits() {
    let records = Records::new();
    let webhook = records.tagged("${NAME}").await;
    let in_flight = InFlightLimits::default().with_per_webhook(2);
    let limits = Limits::default().with_in_flight(in_flight);
    let (bench, emitter) = bench(&records, &limits).await;
    bench.script.hold();
    for _ in 0..3 {
        emitter.emit_tagged().await.unwrap();
    }
    let states: Vec<_> = records.deliveries().await.iter().map(|d| d.state).collect();
    let running = |state: &&DeliveryState| **state == DeliveryState::Running;
    assert_eq!(states.iter().filter(running).count(), 2);
    let lanes: Vec<_> = bench.admission.lanes.in_turn();
    assert_eq!(lanes.len(), 1, "the third waits for the dispatcher");

    // One more must not overtake it.
    bench.script.gate.add_permits(100);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let fourth = emitter.emit_tagged().await.unwrap().deliveries[0];
    assert_eq!(records.stored(fourth).await.state, DeliveryState::Queued);
    assert_eq!(bench.script.sent(), ["vm 7", "vm 7"]);
    assert_eq!(bench.admission.in_flight.count(), 0);
    assert_eq!(records.stored(fourth).await.webhook, webhook);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_leased_to_an_engine_that_stops_nor_for_a_webhook_that_waits() {
    let records = Records::new();
    for change in [Activity::Paused, Activity::Active] {
        let webhook = records
            .webhook(|w| {
                w.activity = change;
                w.order = DeliveryOrder::InOrder;
            })
            .await;
        let task = records.task(webhook, "x", false).await;
        records.event(Target::Tag(TagId(1)), task).await;
    }
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    emitter.emit_tagged().await.unwrap();
    let free = records.tagged("x").await;
    bench.lifecycle.shutdown(Duration::ZERO).await;
    let emit = emitter.emit_detached(poweron(7, &[1]), Trigger::Matching, Origin::Direct);
    emit.await.unwrap();
    let deliveries = records.deliveries().await;
    assert!(deliveries.iter().any(|d| d.webhook == free));
    assert!(deliveries.iter().all(|d| d.state == DeliveryState::Queued));
    assert!(bench.script.sent().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_records_is_seen_by_the_emit_that_meets_it() {
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
    let by_hand = Trigger::Task(once);
    let occurrence = poweron(7, &[]);
    let gone = emitter.emit(&occurrence, by_hand, Origin::Direct);
    assert!(gone.await.unwrap().deliveries.is_empty());
}

#[tokio::test(start_paused = true)]
async fn too_much_is_refused_whole_and_gives_its_permits_back() {
    for limit in [
        EmitLimits::default().with_deliveries(1),
        EmitLimits::default().with_bytes(6),
    ] {
        let records = Records::new();
        records.tagged("four").await;
        records.tagged("five").await;
        let limits = Limits::default().with_emit(limit);
        let (bench, emitter) = bench(&records, &limits).await;
        let refused = emitter.emit_tagged().await.unwrap_err();
        assert!(
            matches!(refused, EmitError::TooLarge { deliveries: 2, .. }),
            "{refused:?}"
        );
        assert_eq!(bench.admission.in_flight.count(), 0);
        assert!(records.deliveries().await.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_or_a_clock_that_panics_is_a_transient_error() {
    let records = Records::new();
    records.tagged("x").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    for fault in ["store", "clock"] {
        if fault == "store" {
            bench.store.fail("enqueue", 1, Fault::Panic);
        } else {
            bench.broken.set_broken(true);
        }
        let emit = emitter.emit_detached(poweron(7, &[1]), Trigger::Matching, Origin::Direct);
        let EmitError::Store(error) = emit.await.unwrap_err() else {
            panic!("{fault}");
        };
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{fault}");
    }
    assert_eq!(bench.admission.in_flight.count(), 0);
}

/// A drain that runs; its store fails on command.
fn drain(bench: &Bench, emitter: Arc<Emitter>) -> Arc<OutboxDrain> {
    let (clock, lifecycle) = (bench.clock.clone(), bench.lifecycle.clone());
    let store: Arc<FaultStore<MemoryStore>> = bench.store.clone();
    let poll = Duration::from_millis(250);
    let drain = Arc::new(OutboxDrain::new(store, emitter, clock, lifecycle, poll));
    let part = drain.clone();
    bench
        .lifecycle
        .supervise("outbox", move || part.clone().run());
    drain
}

#[tokio::test(start_paused = true)]
async fn what_is_in_the_outbox_is_fanned_out_once_and_what_is_too_large_is_set_aside() {
    let records = Records::new();
    records.tagged("${NAME}").await;
    let limits = Limits::default().with_emit(EmitLimits::default().with_bytes(10));
    let (bench, emitter) = bench(&records, &limits).await;
    let outbox = drain(&bench, emitter);
    let named = Occurrence {
        id: Some("evt-1".parse().unwrap()),
        ..poweron(1, &[1])
    };
    for occurrence in [
        &named,
        &poweron(1_000_000_000, &[1]),
        &poweron(2, &[1]),
        &named,
    ] {
        outbox.push(occurrence).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(bench.script.sent(), ["vm 1", "vm 2"]);
    assert!(records.store.outbox(10).await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_occurrence_waits_in_the_outbox_while_the_store_is_away_or_panics() {
    let records = Records::new();
    records.tagged("${NAME}").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    bench.store.set_refused("enqueue", true);
    let outbox = drain(&bench, emitter);
    outbox.push(&poweron(1, &[1])).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(records.store.outbox(10).await.unwrap().len(), 1);
    bench.store.set_refused("enqueue", false);
    bench.store.fail("outbox", 1, Fault::Panic);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(bench.store.has_failed());
    assert_eq!(bench.script.sent(), ["vm 1"]);
    bench.broken.set_broken(true);
    assert!(outbox.push(&poweron(2, &[1])).await.is_err());
}
