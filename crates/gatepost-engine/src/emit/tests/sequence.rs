//! Occurrences that are emitted in sequence are stored in sequence for a webhook in order.

use gatepost_ids::{Audience, TenantId};
use gatepost_storage::webhooks::{OutboxStore as _, PutBack, QueueStore as _};
use gatepost_testkit::fault::When;
use webhook_model::{DeliveryOrder, Occurrence, OwnerId, TagId, Target, WebhookId};

use super::*;
use crate::access::testing::Manner;
use crate::config::EmitLimits;

const TENANT: Audience = Audience::Tenant(TenantId(7));
/// The webhook in order, of owner 1; and that of owner 2, which is not.
const ORDERED: WebhookId = WebhookId(1);
const OTHER: WebhookId = WebhookId(2);

/// Returns an occurrence on an object with this tag.
fn on(id: i64, tag: i64) -> Occurrence {
    poweron(id, &[tag]).with_audience(TENANT)
}

/// Tag 1 is for both webhooks, tag 2 for the one in order.
async fn records(platform: &Platform) -> Records {
    let records = Records::new();
    for owner in [1, 2] {
        platform.user(owner, 7);
        let webhook = records.tagged_of(owner, "${NAME}").await;
        if webhook == ORDERED {
            records
                .edit(webhook, |webhook| webhook.order = DeliveryOrder::InOrder)
                .await;
            let task = records.task(webhook, "${NAME}", false).await;
            records.event(Target::Tag(TagId(2)), task).await;
        }
    }
    records
}

async fn process(
    records: &Records,
    platform: &Arc<Platform>,
    limits: &Limits,
) -> (Bench, Arc<Emitter>) {
    let rule = Rule::Policy(platform.clone());
    let (bench, emitter) = bench_of(records, limits, rule, platform).await;
    for owner in [1, 2] {
        bench.authorizer.admit_change(OwnerId(owner)).await.unwrap();
    }
    (bench, emitter)
}

async fn begun(limits: &Limits) -> (Records, Arc<Platform>, Bench, Arc<Emitter>) {
    let platform = Platform::new();
    let records = records(&platform).await;
    let (bench, emitter) = process(&records, &platform, limits).await;
    (records, platform, bench, emitter)
}

fn bites_of(deliveries: usize) -> Limits {
    let limits = EmitLimits::default().with_deliveries(deliveries);
    Limits::default().with_emit(limits)
}

async fn emit(emitter: &Arc<Emitter>, occurrence: Occurrence) -> (usize, bool) {
    let emitted = emitter.emit(&occurrence, Emitter::all()).await.unwrap();
    (emitted.deliveries.len(), emitted.pending)
}

/// Returns the stored messages of a webhook, in order.
async fn stored(records: &Records, webhook: WebhookId) -> Vec<String> {
    let deliveries = records.deliveries().await.into_iter();
    let own = deliveries.filter(|delivery| delivery.webhook == webhook);
    let mut own: Vec<_> = own.map(|one| (one.id, one.body.to_string())).collect();
    own.sort();
    own.into_iter().map(|(_, body)| body).collect()
}

#[tokio::test(start_paused = true)]
async fn emit_waits_for_a_pending_one() {
    let (records, platform, bench, emitter) = begun(&Limits::default()).await;
    platform.set_watch_manner(Manner::Later(Duration::from_secs(2)));
    assert_eq!(emit(&emitter, on(1, 1)).await, (0, true));
    platform.set_watch_manner(Manner::Now);
    assert_eq!(emit(&emitter, on(2, 1)).await, (1, true));
    assert_eq!(emit(&emitter, on(3, 2)).await, (0, true));
    assert_eq!(stored(&records, OTHER).await, ["vm 2"], "it does not wait");
    drain(emitter.clone());
    pass(&bench, Duration::from_secs(4)).await;
    assert_eq!(stored(&records, ORDERED).await, ["vm 1", "vm 2", "vm 3"]);
    assert!(rows(&records).await.is_empty());
    assert_eq!(emit(&emitter, on(4, 1)).await, (2, false), "nothing waits");
}

#[tokio::test(start_paused = true)]
async fn emit_waits_for_one_that_was_too_large() {
    let (records, _platform, bench, emitter) = begun(&bites_of(1)).await;
    assert_eq!(emit(&emitter, on(1, 1)).await, (0, true));
    assert_eq!(emit(&emitter, on(2, 2)).await, (0, true));
    drain(emitter);
    pass(&bench, Duration::from_secs(2)).await;
    assert_eq!(stored(&records, ORDERED).await, ["vm 1", "vm 2"]);
    assert_eq!(stored(&records, OTHER).await, ["vm 1"]);
}

#[tokio::test(start_paused = true)]
async fn emit_waits_for_a_row_of_the_platform() {
    let (records, _platform, bench, emitter) = begun(&Limits::default()).await;
    records.push_outbox(&on(1, 1)).await;
    assert_eq!(emit(&emitter, on(2, 1)).await, (1, true));
    drain(emitter);
    pass(&bench, Duration::from_secs(2)).await;
    assert_eq!(stored(&records, ORDERED).await, ["vm 1", "vm 2"]);
    assert_eq!(stored(&records, OTHER).await, ["vm 2", "vm 1"]);
}

#[tokio::test(start_paused = true)]
async fn rows_of_other_audiences_hold_no_emit() {
    let (records, _platform, bench, emitter) = begun(&Limits::default()).await;
    let elsewhere = on(1, 1).with_audience(Audience::Tenant(TenantId(8)));
    records.push_outbox(&elsewhere).await;
    assert_eq!(emit(&emitter, on(2, 1)).await, (2, false));
    assert_eq!(bench.store.calls_of("open_outbox"), 1);
}

#[tokio::test(start_paused = true)]
async fn outbox_is_not_read_without_an_ordered_webhook() {
    let (records, _platform, bench, emitter) = begun(&Limits::default()).await;
    records
        .edit(ORDERED, |webhook| webhook.order = DeliveryOrder::Unordered)
        .await;
    records.push_outbox(&on(1, 1)).await;
    assert_eq!(emit(&emitter, on(2, 1)).await, (2, false));
    drain(emitter);
    pass(&bench, Duration::from_secs(1)).await;
    assert!(rows(&records).await.is_empty());
    assert_eq!(bench.store.calls_of("open_outbox"), 0);
}

#[tokio::test(start_paused = true)]
async fn manual_run_waits_for_no_row() {
    let (records, _platform, _bench, emitter) = begun(&Limits::default()).await;
    records.push_outbox(&on(1, 1)).await;
    let run = crate::emit::Run {
        by: Some(OwnerId(1)),
        ..Emitter::all().into()
    };
    let emitted = emitter.emit(&on(2, 1), run).await.unwrap();
    assert_eq!((emitted.deliveries.len(), emitted.pending), (2, false));
}

/// For hours it is unknown whether owner 1 may receive the first.
#[tokio::test(start_paused = true)]
async fn row_holds_only_the_webhooks_of_its_tasks() {
    let (records, platform, bench, emitter) = begun(&Limits::default()).await;
    platform.user(3, 7);
    let third = records.tagged_of(3, "${NAME}").await;
    records
        .edit(third, |webhook| webhook.order = DeliveryOrder::InOrder)
        .await;
    bench.authorizer.admit_change(OwnerId(3)).await.unwrap();
    tokio::time::advance(Duration::from_secs(61)).await;
    platform.set_manner_about(1, Manner::Fails);
    drain(emitter.clone());
    assert_eq!(emit(&emitter, on(1, 1)).await, (2, true));
    for id in 2..5 {
        records.push_outbox(&on(id, 1)).await;
        pass(&bench, Duration::from_secs(600)).await;
    }
    let all = ["vm 1", "vm 2", "vm 3", "vm 4"];
    assert_eq!(stored(&records, OTHER).await, all);
    assert_eq!(stored(&records, third).await, all);
    assert!(stored(&records, ORDERED).await.is_empty());
    assert_eq!(rows(&records).await.len(), 4);

    platform.set_manner_about(1, Manner::Now);
    pass(&bench, Duration::from_secs(600)).await;
    assert_eq!(stored(&records, ORDERED).await, all);
    assert!(rows(&records).await.is_empty());
}

/// The head of the queue is put off for minutes at a time; those behind it follow together.
#[tokio::test(start_paused = true)]
async fn long_line_ends_soon_after_its_head() {
    let (records, platform, bench, emitter) = begun(&Limits::default()).await;
    tokio::time::advance(Duration::from_secs(61)).await;
    platform.set_manner_about(1, Manner::Fails);
    drain(emitter.clone());
    let count = 110_i64;
    for id in 0..count {
        assert!(emit(&emitter, on(id, 2)).await.1);
        pass(&bench, Duration::from_secs(2)).await;
    }
    pass(&bench, Duration::from_secs(300)).await;
    platform.set_manner_about(1, Manner::Now);
    pass(&bench, Duration::from_secs(320)).await;
    let expected: Vec<String> = (0..count).map(|id| format!("vm {id}")).collect();
    assert_eq!(stored(&records, ORDERED).await, expected);
    assert!(rows(&records).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn emit_many_keeps_its_order_behind_its_rows() {
    let (records, _platform, bench, emitter) = begun(&bites_of(1)).await;
    let occurrences = vec![on(1, 2), on(2, 1), on(3, 2), on(4, 9)];
    let answers = emitter.emit_many(occurrences).await.into_iter();
    let pending: Vec<_> = answers.map(|answer| answer.unwrap().pending).collect();
    assert_eq!(pending, [false, true, true, false]);
    drain(emitter);
    pass(&bench, Duration::from_secs(2)).await;
    assert_eq!(stored(&records, ORDERED).await, ["vm 1", "vm 2", "vm 3"]);
}

#[tokio::test(start_paused = true)]
async fn emit_many_without_rows_reads_once() {
    let (records, _platform, bench, emitter) = begun(&Limits::default()).await;
    let occurrences = (0..100).map(|id| on(id, 1)).collect();
    for answer in emitter.emit_many(occurrences).await {
        assert_eq!(answer.unwrap().deliveries.len(), 2);
    }
    let calls = ["open_outbox", "enqueue_all"].map(|call| bench.store.calls_of(call));
    assert_eq!(calls, [1, 1]);
    assert_eq!(stored(&records, ORDERED).await.len(), 100);
}

/// Another process puts the first row off, while this one is about to store both.
#[tokio::test(start_paused = true)]
async fn row_waits_for_one_that_was_not_stored() {
    let (records, _platform, bench, emitter) = begun(&Limits::default()).await;
    let first = records.push_outbox(&on(1, 1)).await;
    records.push_outbox(&on(2, 1)).await;
    let gate = bench.store.gate();
    gate.hold("enqueue", 1, When::Before);
    drain(emitter);
    gate.arrived().await;
    let later = PutBack::Until(noon() + Duration::from_secs(5));
    records.store.put_back(first, 0, later).await.unwrap();
    gate.open();
    pass(&bench, Duration::from_secs(4)).await;
    assert!(stored(&records, ORDERED).await.is_empty());
    assert_eq!(stored(&records, OTHER).await, ["vm 2"], "it does not wait");
    pass(&bench, Duration::from_secs(4)).await;
    assert_eq!(stored(&records, ORDERED).await, ["vm 1", "vm 2"]);
    assert_eq!(stored(&records, OTHER).await, ["vm 2", "vm 1"]);
}

/// The waiting part of a large row stays ahead of later rows, and delays no other webhook.
#[tokio::test(start_paused = true)]
async fn row_of_several_batches_stays_ahead() {
    let (records, platform, bench, emitter) = begun(&bites_of(1)).await;
    let last = records.tagged_of(2, "${NAME}").await;
    tokio::time::advance(Duration::from_secs(61)).await;
    platform.set_manner_about(1, Manner::Later(Duration::from_secs(2)));
    drain(emitter.clone());
    assert_eq!(emit(&emitter, on(1, 1)).await, (0, true));
    pass(&bench, Duration::from_secs(1)).await;
    for webhook in [OTHER, last] {
        assert_eq!(stored(&records, webhook).await, ["vm 1"]);
    }
    assert_eq!(emit(&emitter, on(2, 2)).await, (0, true));
    pass(&bench, Duration::from_secs(10)).await;
    assert_eq!(stored(&records, ORDERED).await, ["vm 1", "vm 2"]);
    assert!(rows(&records).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn emit_after_restart_waits_for_a_pending_one() {
    let (records, platform, bench, emitter) = begun(&Limits::default()).await;
    platform.set_watch_manner(Manner::Later(Duration::from_secs(2)));
    assert_eq!(emit(&emitter, on(1, 1)).await, (0, true));
    bench.lifecycle.shutdown(Duration::ZERO).await;
    platform.set_watch_manner(Manner::Now);
    let (other, emitter) = process(&records, &platform, &Limits::default()).await;
    assert_eq!(emit(&emitter, on(2, 1)).await, (1, true));
    drain(emitter);
    pass(&other, Duration::from_secs(4)).await;
    assert_eq!(stored(&records, ORDERED).await, ["vm 1", "vm 2"]);
}

/// After an emit has lost its races, the rows ahead of it are read again.
#[tokio::test(start_paused = true)]
async fn emit_that_lost_a_race_looks_again() {
    let (records, _platform, bench, emitter) = begun(&Limits::default()).await;
    let row = records.push_outbox(&on(1, 2)).await;
    let gate = bench.store.gate();
    gate.hold("enqueue", 1, When::Before);
    let emitting = {
        let emitter = emitter.clone();
        tokio::spawn(async move { emit(&emitter, on(2, 1)).await })
    };
    gate.arrived().await;
    let used = gatepost_storage::webhooks::Enqueue {
        origin: gatepost_testkit::fixtures::from_outbox(row),
        ..gatepost_testkit::fixtures::direct(Vec::new())
    };
    records.store.enqueue(used, noon()).await.unwrap();
    records.tagged_of(2, "${NAME}, too").await;
    gate.open();
    assert_eq!(emitting.await.unwrap(), (3, false));
}
