//! Records that change while an emit is under way.

use gatepost_ids::{AccessLevel, Audience, OwnerId, Realm, TenantId};
use gatepost_storage::owners::OwnerStore as _;
use gatepost_storage::webhooks::{RecordStore as _, RemainingTasks, TaskRow};
use gatepost_storage::{AtMost, Revision};
use gatepost_testkit::fault::When;
use webhook_model::{Action, TaskId};

use super::*;
use crate::testing::addressed;

/// Another process edits a task.
async fn edit(records: &Records, id: TaskId) -> TaskRow {
    let mut row = records.store.task(id).await.unwrap().unwrap();
    let Action::Send { webhook, .. } = row.value.action else {
        panic!("it sends");
    };
    let message = format!("edited {}", row.revision.0).parse().unwrap();
    row.value.action = Action::Send { webhook, message };
    let updated = records.store.update_task(&row, AtMost::UNLIMITED, noon());
    updated.await.unwrap()
}

/// Emits, and makes this change each time just before something is stored.
async fn emit_while(
    bench: &Bench,
    emitter: &Arc<Emitter>,
    times: usize,
    change: impl AsyncFn(),
) -> Emitted {
    let gate = bench.store.gate();
    gate.hold("enqueue", 1, When::Before);
    let emit = emitter.clone();
    let emitting = tokio::spawn(async move { emit.emit_tagged().await.unwrap() });
    for n in 1..=times {
        gate.arrived().await;
        change().await;
        if n < times {
            gate.hold("enqueue", 1, When::Before);
        }
        gate.open();
    }
    emitting.await.unwrap()
}

#[tokio::test]
async fn constant_edits_delay_emit_by_two_attempts() {
    let records = Records::new();
    records.tagged("stays").await;
    let other = records.webhook(|_| {}).await;
    let other = records.task(other, "x", false).await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    let change = async || drop(edit(&records, other).await);
    let emitted = emit_while(&bench, &emitter, 3, change).await;
    assert_eq!(emitted.deliveries.len(), 1);
    assert!(!emitted.pending);
    let edited = records.store.task(other).await.unwrap().unwrap();
    assert_eq!(edited.revision, Revision(4), "and was not delayed either");
}

#[tokio::test(start_paused = true)]
async fn constantly_changing_task_is_deferred_and_others_run() {
    let records = Records::new();
    records.tagged("stays").await;
    records.tagged("changes").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    let changing = TaskId(2);
    let change = async || drop(edit(&records, changing).await);
    let emitted = emit_while(&bench, &emitter, 3, change).await;
    assert_eq!(emitted.deliveries.len(), 1);
    assert!(emitted.pending);
    let waiting = rows(&records).await;
    assert_eq!(waiting[0].left, RemainingTasks::Tasks(vec![changing]));
    drain(emitter);
    pass(&bench, Duration::from_secs(1)).await;
    let deliveries = records.deliveries().await;
    let bodies: Vec<_> = deliveries.iter().map(|d| d.body.as_ref()).collect();
    assert_eq!(bodies, ["stays", "edited 3"]);
}

#[tokio::test(start_paused = true)]
async fn one_time_task_consumed_by_another_runs_once() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    let once = records.task(webhook, "once", true).await;
    records
        .event(webhook_model::Target::Tag(webhook_model::TagId(1)), once)
        .await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    let (_other, faster) = super::bench(&records, &Limits::default()).await;
    let change = async || drop(faster.emit_tagged().await.unwrap());
    let emitted = emit_while(&bench, &emitter, 1, change).await;
    assert!(emitted.deliveries.is_empty() && !emitted.pending);
    assert_eq!(records.deliveries().await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn administrator_one_time_task_runs_once_across_tenants() {
    let (records, platform) = (Records::new(), Platform::new());
    platform.account(1, AccessLevel::SystemAdministrator, None);
    let placed = records
        .store
        .assign_realm(OwnerId(1), Realm::System, noon());
    placed.await.unwrap();
    let webhook = records.webhook(|w| w.owner = OwnerId(1)).await;
    let once = records.task(webhook, "once", true).await;
    let tagged = webhook_model::Target::Tag(webhook_model::TagId(1));
    records.event(tagged, once).await;
    let (rule, limits) = (Rule::AddressedOnly, Limits::default());
    let (bench, emitter) = bench_of(&records, &limits, rule.clone(), &platform).await;
    let (_other, faster) = bench_of(&records, &limits, rule, &platform).await;
    let emit = async |emitter: &Arc<Emitter>, tenant: u128| {
        let occurrence = addressed(Audience::Tenant(TenantId(tenant)), &[1]);
        emitter.emit(&occurrence, Emitter::all()).await.unwrap()
    };
    let gate = bench.store.gate();
    gate.hold("enqueue", 1, When::Before);
    let (slow, fast) = tokio::join!(emit(&emitter, 7), async {
        gate.arrived().await;
        let fast = emit(&faster, 8).await;
        gate.open();
        fast
    });
    assert_eq!((slow.deliveries.len(), fast.deliveries.len()), (0, 1));
    assert!(!slow.pending);
    assert_eq!(records.deliveries().await.len(), 1);
    assert!(records.store.task(once).await.unwrap().is_none());
}
