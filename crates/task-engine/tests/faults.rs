//! The store fails at each call that the engine makes, in three ways: nothing is lost, nothing runs twice.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use common::faulty::{Fault, Faulty};
use common::{World, builder, poweron, receiver, until, world};
use storage::webhooks::{
    DeliveryId, DeliveryLog, DeliveryQuery, DeliveryState, OutboxStore, QueueStore,
};
use storage::{ManualClock, MemoryStore, Page};
use task_engine::{EmitError, Engine, Limits};
use tokio::task::JoinSet;
use webhook_model::{Occurrence, TagId, Target, WebhookId};

const CALLS: [&str; 13] = [
    "routes",
    "routes_version",
    "server_time",
    "enqueue",
    "claim",
    "due_lanes",
    "next_due",
    "settle",
    "reclaim",
    "outbox",
    "record_task_runs",
    "purge",
    "expire_held",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_call_fails_each_delivery_is_made_once_and_sent() {
    let mut runs = JoinSet::new();
    for method in CALLS {
        for nth in 1..=3 {
            for fault in [Fault::Refused, Fault::AnswerLost, Fault::Panic] {
                if runs.len() >= 16 {
                    runs.join_next().await.unwrap().unwrap();
                }
                runs.spawn(one_fault(method, nth, fault));
            }
        }
    }
    while let Some(run) = runs.join_next().await {
        run.unwrap();
    }
}

async fn one_fault(method: &'static str, nth: u32, fault: Fault) {
    let what = format!("{fault:?} at call {nth} of {method}");
    let memory = Arc::new(MemoryStore::new());
    let (receiver, addr) = receiver(false, &[500]).await;
    records(&memory, addr).await;

    let store = Arc::new(Faulty::new(memory.clone(), method, nth, fault));
    let clock = Arc::new(ManualClock::at("2026-03-01T12:00:00Z".parse().unwrap()));
    let mut limits = Limits::default();
    limits.poll = Duration::from_millis(20);
    let mut engine = None;
    for _ in 0..4 {
        let builder = builder(store.clone())
            .clock(clock.clone())
            .limits(limits.clone());
        // A store that panics while the engine starts is told to whoever starts it.
        if let Ok(Ok(started)) = tokio::spawn(builder.start()).await {
            engine = Some(started);
            break;
        }
    }
    let engine = engine.unwrap_or_else(|| panic!("{what}: does not start"));

    memory
        .push_outbox(&alarm("later"), storage::Clock::now(clock.as_ref()))
        .await
        .unwrap();
    for n in 0..4 {
        emit_until_stored(
            &engine,
            &Occurrence {
                id: Some(format!("evt-{n}").parse().unwrap()),
                ..poweron(n, &[1])
            },
        )
        .await;
    }

    // A second of the engine's time each 10 ms, until all has ended: leases run out, retries fall due.
    let mut all = Vec::new();
    for turn in 0..1500 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        all = memory
            .list_deliveries(&DeliveryQuery::all(Page::first(100)))
            .await
            .unwrap();
        if all.len() >= 6
            && all.iter().all(|d| d.state.is_final())
            && (store.has_failed() || turn > 120)
        {
            break;
        }
        clock.advance(Duration::from_secs(1));
    }
    let mut made: BTreeMap<String, u32> = BTreeMap::new();
    for delivery in &all {
        assert_eq!(delivery.state, DeliveryState::Sent, "{what}: {delivery:?}");
        *made.entry(delivery.body.to_string()).or_default() += 1;
    }
    let expected: BTreeMap<String, u32> = (0..4)
        .map(|n| (format!("vm \"{n}\""), 1))
        .chain([("once".to_owned(), 1), ("alarm".to_owned(), 1)])
        .collect();
    assert_eq!(made, expected, "{what}");
    let asked = receiver.bodies.lock().unwrap().len();
    let allowed: u32 = all.iter().map(|d| d.attempts + d.lost_claims).sum();
    assert!(
        (7..=allowed as usize).contains(&asked),
        "{what}: {asked} requests, {allowed} allowed"
    );
    assert!(store.has_failed() || nth > 1, "{what}: never came about");
    engine.shutdown(Duration::from_secs(2)).await;
    let left = memory
        .queue_stats(storage::Clock::now(clock.as_ref()))
        .await
        .unwrap();
    assert_eq!(
        (left.queued, left.running, left.outbox),
        (0, 0, 0),
        "{what}"
    );
}

/// A task for each occurrence, one for the first only, one for alarms.
async fn records(memory: &Arc<MemoryStore>, addr: std::net::SocketAddr) {
    let quiet = World {
        store: memory.clone(),
        engine: builder(memory.clone()).start().await.unwrap(),
    };
    let webhook = quiet.webhook("w", addr, |_| {}).await;
    for (message, once) in [("${NAME}", false), ("once", true)] {
        let task = quiet.task(webhook, message, once).await;
        quiet
            .event("vms", "poweron", Target::Tag(TagId(1)), task)
            .await;
    }
    let task = quiet.task(webhook, "alarm", false).await;
    quiet.event("alarms", "raised", Target::Generic, task).await;
    quiet.engine.shutdown(Duration::from_secs(1)).await;
}

fn alarm(id: &str) -> Occurrence {
    Occurrence {
        id: Some(id.parse().unwrap()),
        ..Occurrence::new("alarms".parse().unwrap(), "raised".parse().unwrap())
    }
}

/// As a host would: again with the same id, as long as the error says that this may help.
async fn emit_until_stored(engine: &Engine, occurrence: &Occurrence) {
    for _ in 0..4 {
        match engine.emit(occurrence.clone()).await {
            Ok(_) => return,
            Err(EmitError::Store(error)) if error.is_transient() => {}
            Err(error) => panic!("{error:?}"),
        }
    }
    panic!("not stored");
}

#[tokio::test]
async fn while_outcomes_cannot_be_recorded_nothing_new_is_sent_and_then_they_are() {
    let memory = Arc::new(MemoryStore::new());
    let store = Arc::new(Faulty::new(memory.clone(), "none", 1, Fault::Refused));
    let (receiver, addr) = receiver(true, &[]).await;
    let engine = builder(store.clone()).start().await.unwrap();
    let world = World {
        store: memory.clone(),
        engine,
    };
    let webhook = world.webhook("w", addr, |_| {}).await;
    let first = world.engine.send(webhook, None).await.unwrap();
    until(|| receiver.open.load(Ordering::SeqCst) == 1).await;

    store.no_room.store(true, Ordering::SeqCst);
    receiver.stall.add_permits(100);
    for _ in 0..100 {
        if !world.engine.health().await.unwrap().recording {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(!world.engine.health().await.unwrap().recording);
    let second = queued_behind_its_back(&memory, webhook).await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(receiver.bodies.lock().unwrap().len(), 1);
    store.down.store(true, Ordering::SeqCst);
    assert!(world.engine.health().await.is_err());

    store.down.store(false, Ordering::SeqCst);
    store.no_room.store(false, Ordering::SeqCst);
    assert_eq!(world.ended(first).await.attempts, 1);
    assert_eq!(world.ended(second).await.state, DeliveryState::Sent);
    assert_eq!(
        receiver.bodies.lock().unwrap().len(),
        2,
        "each was sent once"
    );
}

/// Work of another process.
async fn queued_behind_its_back(memory: &Arc<MemoryStore>, webhook: WebhookId) -> DeliveryId {
    use storage::webhooks::{Enqueue, Enqueued, NewDelivery, Source};
    let now = storage::Clock::now(&storage::SystemClock);
    let new = NewDelivery {
        message_id: "msg_other".parse().unwrap(),
        webhook,
        task: None,
        body: "{}".into(),
        due: now,
        lease_until: None,
    };
    let batch = Enqueue {
        routes: None,
        source: Source::Direct,
        deliveries: vec![new],
        consume: Vec::new(),
    };
    match memory.enqueue(batch, now).await.unwrap() {
        Enqueued::Stored { deliveries, .. } => deliveries[0].id,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_caller_that_goes_away_leaves_no_delivery_to_nobody() {
    let world = world().await;
    let (_receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let task = world.task(webhook, "x", false).await;
    world
        .event("vms", "poweron", Target::Tag(TagId(1)), task)
        .await;
    tokio::select! {
        biased;
        _ = world.engine.emit(poweron(1, &[1])) => panic!("was to be dropped"),
        () = std::future::ready(()) => {}
    }
    for _ in 0..500 {
        if world.store.delivery(DeliveryId(1)).await.unwrap().is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let delivery = world.ended(DeliveryId(1)).await;
    assert_eq!(
        (delivery.state, delivery.lost_claims),
        (DeliveryState::Sent, 0)
    );
}
