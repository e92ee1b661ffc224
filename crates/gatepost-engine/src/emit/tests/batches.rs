//! Emits that exceed one transaction.

use std::time::Duration;

use gatepost_storage::Scope;
use gatepost_storage::webhooks::{
    DeliveryLog as _, RecordStore as _, RejectReason, RemainingTasks,
};
use gatepost_testkit::fault::Fault;
use webhook_model::{MAX_RENDERED, OwnerId, TagId, Target, TaskId};

use super::*;
use crate::config::EmitLimits;

/// At most two deliveries in a batch, and four of an owner.
fn small() -> Limits {
    let limits = EmitLimits::default()
        .with_deliveries(2)
        .with_deliveries_per_owner(4);
    Limits::default().with_emit(limits)
}

/// Creates webhooks of this owner, each with a task for objects with tag 1.
async fn tagged(records: &Records, owner: u128, count: usize) {
    for n in 0..count {
        records.tagged_of(owner, &format!("{owner}-{n}")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn oversized_occurrence_is_one_row_processed_in_order() {
    let records = Records::new();
    tagged(&records, 1, 3).await;
    tagged(&records, 2, 4).await;
    let (bench, emitter) = bench(&records, &small()).await;
    let named = poweron(7, &[1]).with_id("evt-1".parse().unwrap());
    let emitted = emitter.emit(&named, Emitter::all()).await.unwrap();
    assert!(emitted.pending && emitted.deliveries.is_empty());
    assert!(records.bodies().await.is_empty());
    assert_eq!(rows(&records).await.len(), 1);
    let again = emitter.emit(&named, Emitter::all()).await.unwrap();
    assert!(again.repeated && !again.pending);
    assert_eq!(bench.admission.in_flight(), 0, "permits are given back");

    drain(emitter);
    pass(&bench, Duration::from_secs(1)).await;
    let expected = ["1-0", "1-1", "1-2", "2-0", "2-1", "2-2", "2-3"];
    assert_eq!(records.bodies().await, expected);
    assert!(rows(&records).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn large_messages_split_batches_and_oversized_is_stored() {
    let records = Records::new();
    for text in ["four", "five", "larger than a batch", "six"] {
        records.tagged(text).await;
    }
    let limits = EmitLimits::default().with_bytes(10);
    let (bench, emitter) = bench(&records, &Limits::default().with_emit(limits)).await;
    assert!(emitter.emit_tagged().await.unwrap().pending);
    let before = bench.store.calls();
    drain(emitter);
    pass(&bench, Duration::from_secs(1)).await;
    assert_eq!(
        records.bodies().await,
        ["four", "five", "larger than a batch", "six"]
    );
    assert!(bench.store.calls() > before);
}

#[tokio::test(start_paused = true)]
async fn crash_between_batches_stores_each_delivery_once() {
    for fault in [Fault::Refused, Fault::AnswerLost, Fault::Panic] {
        let records = Records::new();
        tagged(&records, 1, 3).await;
        tagged(&records, 2, 3).await;
        let once = records.webhook(|w| w.owner = OwnerId(2)).await;
        let once = records.task(once, "2-3", true).await;
        records.event(Target::Tag(TagId(1)), once).await;
        let (bench, emitter) = bench(&records, &small()).await;
        assert!(emitter.emit_tagged().await.unwrap().pending);
        bench.store.fail("enqueue", 2, fault);
        drain(emitter);
        pass(&bench, Duration::from_secs(2)).await;
        assert!(bench.store.has_failed());
        // The process has ended; another one continues with its remaining rows.
        bench.lifecycle.shutdown(Duration::ZERO).await;
        let (other, emitter) = super::bench(&records, &small()).await;
        other.broken.clock.advance(Duration::from_secs(2));
        drain(emitter);
        pass(&other, Duration::from_secs(60)).await;
        let expected = ["1-0", "1-1", "1-2", "2-0", "2-1", "2-2", "2-3"];
        assert_eq!(records.bodies().await, expected, "{fault:?}");
        assert!(rows(&records).await.is_empty());
        assert!(records.store.task(once).await.unwrap().is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn owner_over_share_is_limited_and_excess_counted() {
    let records = Records::new();
    tagged(&records, 1, 7).await;
    tagged(&records, 2, 2).await;
    let (bench, emitter) = bench(&records, &small()).await;
    assert!(emitter.emit_tagged().await.unwrap().pending);
    drain(emitter.clone());
    pass(&bench, Duration::from_secs(1)).await;
    let expected = ["1-0", "1-1", "1-2", "1-3", "2-0", "2-1"];
    assert_eq!(records.bodies().await, expected);
    bench.authorizer.flush().await;
    let rejected = records
        .store
        .rejected(Scope::Owner(OwnerId(1)), 100)
        .await
        .unwrap();
    assert_eq!(
        rejected.iter().map(|rejected| rejected.count).sum::<u64>(),
        3
    );
    assert!(
        rejected
            .iter()
            .all(|rejected| rejected.reason == RejectReason::Occurrence)
    );
    let others = records.store.rejected(Scope::Owner(OwnerId(2)), 100).await;
    assert!(others.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn owner_bytes_are_counted_across_batches() {
    let records = Records::new();
    tagged(&records, 1, 5).await;
    tagged(&records, 2, 1).await;
    let limits = EmitLimits::default()
        .with_deliveries(2)
        .with_bytes_per_owner(9);
    let (bench, emitter) = bench(&records, &Limits::default().with_emit(limits)).await;
    let emitted = emitter.emit_tagged().await.unwrap();
    assert!(emitted.pending);
    drain(emitter);
    pass(&bench, Duration::from_secs(1)).await;
    assert_eq!(records.bodies().await, ["1-0", "1-1", "1-2", "2-0"]);
}

#[tokio::test(start_paused = true)]
async fn oversized_messages_count_as_largest_and_are_bounded() {
    let records = Records::new();
    let huge = "${data.x}".repeat(MAX_RENDERED / 60_000 + 1);
    for text in [&huge, &huge, &huge, "small"] {
        records.tagged_of(1, text).await;
    }
    records.tagged_of(2, "another's").await;
    let limits = EmitLimits::default().with_bytes_per_owner(2 * MAX_RENDERED);
    let limits = Limits::default().with_emit(limits);
    let (bench, emitter) = bench(&records, &limits).await;
    let data = format!(r#"{{"x":"{}"}}"#, "x".repeat(60_000));
    let large = poweron(7, &[1]).with_data(data.parse().unwrap());
    let emitted = emitter.emit(&large, Emitter::all()).await.unwrap();
    assert_eq!(
        emitted.rejected, 2,
        "the third that is too large, and the one after it"
    );
    assert_eq!(records.bodies().await, ["another's"]);
    drop(bench);

    // Without such data they are as small as they look.
    let (_bench, emitter) = super::bench(&records, &limits).await;
    let emitted = emitter
        .emit(&poweron(7, &[1]), Emitter::all())
        .await
        .unwrap();
    assert_eq!((emitted.rejected, emitted.deliveries.len()), (0, 5));
}

#[tokio::test(start_paused = true)]
async fn rejected_and_empty_messages_count_toward_owner_limit() {
    let limits = EmitLimits::default().with_bytes_per_owner(40);
    let limits = Limits::default().with_emit(limits);
    let large = "x".repeat(30);
    let cases: [(&[&str], &[&str]); 2] = [
        (&[&large, &large, "small"], &[&large, "another's"]),
        (&["${data.missing}"; 4], &["", "", "", "another's"]),
    ];
    for (messages, stored) in cases {
        let records = Records::new();
        for message in messages {
            records.tagged_of(1, message).await;
        }
        records.tagged_of(2, "another's").await;
        let (_bench, emitter) = bench(&records, &limits).await;
        let emitted = emitter.emit_tagged().await.unwrap();
        assert_eq!(records.bodies().await, stored);
        let rejected = messages.len() + 1 - stored.len();
        assert_eq!(emitted.rejected, rejected as u64);
    }
}

#[tokio::test(start_paused = true)]
async fn excess_of_one_owner_does_not_fill_batches() {
    let records = Records::new();
    tagged(&records, 1, 5).await;
    tagged(&records, 2, 1).await;
    let limits = EmitLimits::default()
        .with_deliveries(3)
        .with_deliveries_per_owner(2);
    let (_bench, emitter) = bench(&records, &Limits::default().with_emit(limits)).await;
    let emitted = emitter.emit_tagged().await.unwrap();
    assert_eq!((emitted.pending, emitted.rejected), (false, 3));
    assert_eq!(records.bodies().await, ["1-0", "1-1", "2-0"]);
}

#[tokio::test(start_paused = true)]
async fn a_one_time_task_beyond_a_share_stays() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    for _ in 0..3 {
        let task = records.task(webhook, "once", true).await;
        records.event(Target::Tag(TagId(1)), task).await;
    }
    let limits = EmitLimits::default().with_deliveries_per_owner(2);
    let (_bench, emitter) = bench(&records, &Limits::default().with_emit(limits)).await;
    assert_eq!(emitter.emit_tagged().await.unwrap().deliveries.len(), 2);
    assert_eq!(emitter.emit_tagged().await.unwrap().deliveries.len(), 1);
    assert_eq!(emitter.emit_tagged().await.unwrap().deliveries.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn tasks_requested_by_id_fan_out_in_batches() {
    let records = Records::new();
    tagged(&records, 1, 2).await;
    tagged(&records, 2, 3).await;
    let (bench, emitter) = bench(&records, &small()).await;
    let tasks = (1..=5).chain([99]).map(TaskId).collect();
    let emitted = emitter
        .emit(&poweron(7, &[]), RemainingTasks::Tasks(tasks))
        .await;
    assert!(emitted.unwrap().pending);
    drain(emitter);
    pass(&bench, Duration::from_secs(1)).await;
    assert_eq!(records.bodies().await, ["1-0", "1-1", "2-0", "2-1", "2-2"]);
    assert!(rows(&records).await.is_empty());
}

#[tokio::test]
async fn event_contexts_are_read_in_batches_like_messages() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    for n in 0..16 {
        let task = records.task(webhook, "in ${context.zone}", false).await;
        let context = format!(r#"{{"zone":"{n}"}}"#);
        let target = Target::Tag(TagId(1));
        records.event_with(target, task, "{}", &context).await;
    }
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    assert_eq!(emitter.emit_tagged().await.unwrap().deliveries.len(), 16);
    let mut expected: Vec<_> = (0..16).map(|n| format!("in {n}")).collect();
    let mut sent = records.bodies().await;
    expected.sort();
    sent.sort();
    assert_eq!(sent, expected);
    assert_eq!(bench.store.calls_of("events"), 2);
    assert_eq!(bench.store.calls_of("event"), 0);
}
