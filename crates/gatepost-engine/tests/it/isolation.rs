//! The records, actions and faults of one tenant neither show to another, nor delay or cost it.

use std::sync::Arc;
use std::time::Duration;

use gatepost_engine::{EmitLimits, Engine, Limits, Quota, RunContext, Scope};
use gatepost_kv::MemoryStore;
use gatepost_storage::Page;
use gatepost_storage::webhooks::{DeliveryLog as _, DeliveryQuery, RecordId, RejectReason};
use gatepost_testkit::fault::FaultStore;
use webhook_model::{
    Action, Event, Object, ObjectId, OwnerId, TagId, Target, Task, TaskId, Webhook, WebhookId,
};

use crate::clock::TestTime;
use crate::platform::{Mood, Tenants, in_tenant, of_tenants};
use crate::support::{builder, poweron};

/// Creates a store that counts its calls, with the one behind it.
fn counting() -> (Arc<FaultStore<MemoryStore>>, Arc<MemoryStore>) {
    let memory = Arc::new(MemoryStore::new());
    (Arc::new(FaultStore::new(memory.clone())), memory)
}

/// Returns how often each of these methods was called since the last question.
fn calls<const N: usize>(
    store: &FaultStore<MemoryStore>,
    methods: [&'static str; N],
) -> impl FnMut() -> [u64; N] {
    let mut before = [0; N];
    move || {
        let now = methods.map(|method| store.calls_of(method));
        let since = std::array::from_fn(|n| now[n] - before[n]);
        before = now;
        since
    }
}

async fn webhook(engine: &Engine, owner: u128, name: &str) -> WebhookId {
    let url = "https://target.example.com/in".parse().unwrap();
    let mut webhook = Webhook::new(OwnerId(owner), name.parse().unwrap(), url);
    webhook.activity = webhook_model::Activity::Paused;
    engine.create_webhook(&webhook).await.unwrap().id
}

async fn task(engine: &Engine, webhook: WebhookId, message: &str, once: bool) -> TaskId {
    let task = Task {
        delete_after_run: once,
        ..Task::new(
            OwnerId(1),
            "t".parse().unwrap(),
            Action::Send {
                webhook,
                message: message.parse().unwrap(),
            },
        )
    };
    engine.create_task(&task).await.unwrap().id
}

async fn tagged(engine: &Engine, task: TaskId, tag: i64) {
    let event = Event::new(
        "vms".parse().unwrap(),
        "poweron".parse().unwrap(),
        Target::Tag(TagId(tag)),
        task,
    );
    engine.create_event(&event).await.unwrap();
}

/// Creates a paused webhook of this owner, with a task for objects with tag 1.
async fn watched(engine: &Engine, owner: u128, message: &str) -> TaskId {
    let webhook = webhook(engine, owner, "w").await;
    let task = task(engine, webhook, message, false).await;
    tagged(engine, task, 1).await;
    task
}

async fn bodies(store: &MemoryStore) -> Vec<String> {
    let query = DeliveryQuery::all(Page::first(100_000));
    let deliveries = store.list_deliveries(&query).await.unwrap();
    deliveries.iter().map(|d| d.body.to_string()).collect()
}

async fn waiting(store: &MemoryStore, count: usize) -> Vec<String> {
    for _ in 0..3_000 {
        let bodies = bodies(store).await;
        if bodies.len() >= count {
            return bodies;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} of {count}", bodies(store).await.len());
}

#[tokio::test]
async fn tenant_edits_cause_no_emit_retries_for_others() {
    let ((store, _), tenants) = (counting(), Tenants::new());
    let engine = of_tenants(store.clone(), &tenants).start().await.unwrap();
    watched(&engine, 100, "of 1").await;
    let edited = watched(&engine, 200, "of 2").await;
    engine.emit(in_tenant(1, 7, &[1])).await.unwrap();
    let methods = [
        "enqueue",
        "routes",
        "route_changes",
        "routes_versions",
        "task",
    ];
    let mut calls = calls(&store, methods);
    calls();
    for n in 0..20 {
        let edit = engine.edit_task(edited, |task| {
            task.name = format!("t{n}").parse()?;
            Ok(())
        });
        edit.await.unwrap();
        let emitted = engine.emit(in_tenant(1, 7, &[1])).await.unwrap();
        assert_eq!(emitted.deliveries.len(), 1);
    }
    // The task is read only by the edits.
    assert_eq!(calls(), [20, 0, 0, 0, 20]);
    // The tenant itself reads the changes, once for each.
    engine.emit(in_tenant(2, 7, &[1])).await.unwrap();
    calls();
    for n in 0..20 {
        let edit = engine.edit_task(edited, |task| {
            task.name = format!("u{n}").parse()?;
            Ok(())
        });
        edit.await.unwrap();
        engine.emit(in_tenant(2, 7, &[1])).await.unwrap();
    }
    // Its own realm and that of the system administrators, and the task by the edits and for its
    // message.
    assert_eq!(calls(), [40, 0, 40, 0, 40]);
}

#[tokio::test]
async fn large_occurrence_does_not_delay_small_ones() {
    let (store, tenants) = (Arc::new(MemoryStore::new()), Tenants::new());
    let engine = of_tenants(store.clone(), &tenants).start().await.unwrap();
    let hook = webhook(&engine, 100, "w").await;
    let other = webhook(&engine, 101, "w").await;
    for n in 0..1_500 {
        let of = if n < 900 { hook } else { other };
        let task = task(&engine, of, &format!("{n}"), false).await;
        tagged(&engine, task, 5).await;
    }
    watched(&engine, 200, "of 2").await;
    let large = engine.emit(in_tenant(1, 7, &[5])).await.unwrap();
    assert!(large.pending && large.deliveries.is_empty());
    for _ in 0..20 {
        let small = engine.emit(in_tenant(2, 7, &[1])).await.unwrap();
        assert_eq!((small.deliveries.len(), small.pending), (1, false));
    }
    let all = waiting(&store, 1_520).await;
    let mut large: Vec<i64> = all.iter().filter_map(|body| body.parse().ok()).collect();
    assert!(large.is_sorted(), "in order of tasks");
    large.dedup();
    assert_eq!(large.len(), 1_500);
}

#[tokio::test(start_paused = true)]
async fn platform_failure_for_one_occurrence_delays_no_other() {
    for mood in [Mood::Fails, Mood::Hangs, Mood::Panics] {
        let (store, tenants) = (Arc::new(MemoryStore::new()), Tenants::new());
        let engine = of_tenants(store.clone(), &tenants).clock(Arc::new(TestTime::start()));
        let engine = engine.start().await.unwrap();
        watched(&engine, 100, "${NAME} of 1").await;
        watched(&engine, 200, "${NAME} of 2").await;
        tenants.set_mood(mood);
        let began = tokio::time::Instant::now();
        for n in 0..40 {
            let emitted = engine.emit(in_tenant(1, 1_000 + n, &[1])).await.unwrap();
            assert!(emitted.pending && emitted.deliveries.is_empty(), "{mood:?}");
        }
        for n in 0..20 {
            for tenant in [1, 2] {
                let emitted = engine.emit(in_tenant(tenant, n, &[1])).await.unwrap();
                assert_eq!(emitted.deliveries.len(), 1, "{mood:?}");
            }
            engine
                .emit_later(&in_tenant(2, 100 + n, &[1]))
                .await
                .unwrap();
        }
        waiting(&store, 60).await;
        assert!(began.elapsed() < Duration::from_secs(5), "{mood:?}");
        tenants.set_mood(Mood::Says);
        let all = waiting(&store, 100).await;
        assert!((0..40).all(|n| all.contains(&format!("vm {} of 1", 1_000 + n))));
    }
}

#[tokio::test]
async fn one_time_tasks_read_only_changes_under_load() {
    let (store, _) = counting();
    let (engine, other) = (builder(store.clone()), builder(store.clone()));
    let (engine, other) = (engine.start().await.unwrap(), other.start().await.unwrap());
    let hook = webhook(&engine, 1, "w").await;
    for n in 0..10_000 {
        let task = task(&engine, hook, "x", false).await;
        tagged(&engine, task, 1_000 + n).await;
    }
    engine.emit(poweron(1, &[1])).await.unwrap();
    other.emit(poweron(1, &[1])).await.unwrap();
    let mut reads = calls(&store, ["routes", "route_changes", "enqueue"]);
    reads();
    for _ in 0..50 {
        let once = task(&engine, hook, "once", true).await;
        tagged(&engine, once, 1).await;
        let emitted = engine.emit(poweron(1, &[1])).await.unwrap();
        assert_eq!(emitted.deliveries.len(), 1);
        let again = other.emit(poweron(1, &[1_000])).await.unwrap();
        assert_eq!(again.deliveries.len(), 1);
    }
    let [whole, changes, enqueued] = reads();
    assert_eq!(whole, 0, "no place is read again as a whole");
    assert!(changes <= 150, "{changes} reads of what has changed");
    assert!(enqueued <= 250, "{enqueued} tries");
}

#[tokio::test]
async fn unreadable_record_blocks_nothing_and_can_be_deleted() {
    let (store, memory) = counting();
    let engine = builder(store.clone()).start().await.unwrap();
    let spoilt = watched(&engine, 1, "spoilt").await;
    watched(&engine, 2, "fine").await;
    store.set_unreadable(RecordId::Task(spoilt), true);
    store.set_unreadable(RecordId::Webhook(WebhookId(1)), true);
    // A new process.
    let engine = builder(store.clone()).start().await.unwrap();
    let emitted = engine.emit(poweron(1, &[1])).await.unwrap();
    assert_eq!(emitted.deliveries.len(), 1);
    engine.emit_later(&poweron(1, &[1])).await.unwrap();
    assert_eq!(waiting(&memory, 2).await, ["fine", "fine"]);
    let listed = engine.unreadable(Scope::All, 10).await.unwrap();
    assert_eq!(listed.len(), 2);
    let of = engine.owner_of(RecordId::Task(spoilt)).await.unwrap();
    assert_eq!(of, Some(OwnerId(1)));
    assert!(engine.task(spoilt).await.is_err());
    engine.delete_task(spoilt).await.unwrap();
    let refuse = gatepost_storage::webhooks::Cascade::Refuse;
    engine.delete_webhook(WebhookId(1), refuse).await.unwrap();
    assert!(engine.unreadable(Scope::All, 10).await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn manual_run_keeps_its_cause_after_platform_wait() {
    let (store, tenants) = (Arc::new(MemoryStore::new()), Tenants::new());
    let engine = of_tenants(store.clone(), &tenants).clock(Arc::new(TestTime::start()));
    let engine = engine.start().await.unwrap();
    let hook = webhook(&engine, 100, "w").await;
    let task = task(&engine, hook, "x", false).await;
    let event = ("vms".parse().unwrap(), "poweron".parse().unwrap());
    let about = RunContext::default()
        .with_event(event)
        .with_object(Object::new(ObjectId::from(1_000), "vm"));
    tenants.set_mood(Mood::Fails);
    let by = Some(OwnerId(101));
    let ran = engine.run_task(task, about, by).await.unwrap();
    assert!(ran.pending && ran.deliveries.is_empty());
    tenants.set_mood(Mood::Says);
    waiting(&store, 1).await;
    let query = DeliveryQuery::all(Page::first(9));
    let deliveries = store.list_deliveries(&query).await.unwrap();
    let cause = deliveries[0].cause.as_ref().unwrap();
    assert_eq!((cause.by, cause.object), (by, Some(ObjectId::from(1_000))));
}

#[tokio::test]
async fn realm_too_large_for_memory_is_looked_up() {
    let (store, memory) = counting();
    let limits = Limits::default().with_routes_memory(64 * 1024);
    let engine = builder(store.clone()).limits(limits).start().await.unwrap();
    let hook = webhook(&engine, 1, "w").await;
    for n in 0..100 {
        let task = task(&engine, hook, &format!("{n}"), false).await;
        tagged(&engine, task, n).await;
    }
    for _ in 0..10 {
        let emitted = engine.emit(poweron(1, &[42])).await.unwrap();
        assert_eq!(emitted.deliveries.len(), 1);
    }
    assert_eq!(store.calls_of("routes"), 1);
    assert_eq!(store.calls_of("routes_of"), 10);
    assert_eq!(bodies(&memory).await, ["42"; 10]);
    let ran = engine
        .run_task(TaskId(7), RunContext::default(), None)
        .await
        .unwrap();
    assert_eq!(ran.deliveries.len(), 1);
}

#[tokio::test]
async fn waiting_limit_rejects_excess_and_spares_other_owners() {
    let (store, tenants) = (Arc::new(MemoryStore::new()), Tenants::new());
    let quota = Quota::default().with_waiting(3);
    let limits = EmitLimits::default().with_deliveries_per_owner(2);
    let engine = of_tenants(store.clone(), &tenants)
        .quotas(Arc::new(quota))
        .limits(Limits::default().with_emit(limits));
    let engine = engine.start().await.unwrap();
    let hook = webhook(&engine, 100, "w").await;
    for n in 0..4 {
        let task = task(&engine, hook, &format!("{n}"), false).await;
        tagged(&engine, task, 1).await;
    }
    watched(&engine, 101, "other").await;
    let first = engine.emit(in_tenant(1, 7, &[1])).await.unwrap();
    assert_eq!((first.deliveries.len(), first.rejected), (3, 2));
    let second = engine.emit(in_tenant(1, 7, &[1])).await.unwrap();
    assert_eq!((second.deliveries.len(), second.rejected), (2, 3));
    let all = bodies(&store).await;
    assert_eq!(all, ["0", "1", "other", "0", "other"]);
    engine.shutdown(Duration::from_secs(1)).await;
    let rejected = engine
        .rejected_counts(Scope::Owner(OwnerId(100)), None, 10)
        .await
        .unwrap();
    let count = |reason| {
        let of = rejected.iter().filter(|rejected| rejected.reason == reason);
        of.map(|rejected| rejected.count).sum::<u64>()
    };
    assert_eq!(
        (
            count(RejectReason::Occurrence),
            count(RejectReason::Waiting)
        ),
        (2, 3)
    );
    let usage = engine.usage(OwnerId(100)).await.unwrap();
    assert_eq!((usage.log.waiting, usage.quota.waiting), (3, 3));
    assert_eq!(usage.records.tasks, 4);
}

#[tokio::test]
async fn removed_owner_or_tenant_has_no_deliveries() {
    let (store, tenants) = (Arc::new(MemoryStore::new()), Tenants::new());
    let engine = of_tenants(store.clone(), &tenants).start().await.unwrap();
    watched(&engine, 100, "of 100").await;
    watched(&engine, 101, "of 101").await;
    engine.emit(in_tenant(1, 7, &[1])).await.unwrap();
    engine.remove_owner(OwnerId(100)).await.unwrap();
    assert_eq!(bodies(&store).await, ["of 101"]);
    let emitted = engine.emit(in_tenant(1, 7, &[1])).await.unwrap();
    assert_eq!(emitted.deliveries.len(), 1);
    engine
        .remove_tenant(gatepost_ids::TenantId(1))
        .await
        .unwrap();
    assert!(bodies(&store).await.is_empty());
}

#[tokio::test]
async fn without_a_rule_nothing_starts() {
    let store = Arc::new(MemoryStore::new());
    let error = crate::support::unruled(store).start().await.unwrap_err();
    assert!(error.to_string().contains("one_system"), "{error}");
}
