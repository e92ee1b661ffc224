//! A one-time task that many concurrent occurrences match, through two engines on one store, runs
//! once and is deleted.

use std::time::Duration;

use delivery::{Sender, TargetPolicy};
use examples::receiver::Receiver;
use gatepost_engine::Engine;
use gatepost_ids::{AccessLevel, Account, Audience, TenantId};
use gatepost_storage::webhooks::{DeliveryId, DeliveryState};
use serde_json::json;
use tests::permissive_platform::with_tenants;
use tests::world::{World, poweron};
use tokio::task::JoinHandle;

/// Starts a second engine, which is a second process for the store.
async fn second_engine(world: &World) -> Engine {
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let sender = Sender::builder(policy).build().unwrap();
    let engine = Engine::builder(world.store.clone(), sender).clock(world.clock.clone());
    let engine = with_tenants(engine, world.users.clone());
    engine.start().await.unwrap()
}

/// Checks that exactly one of these emits made a delivery, which was sent, and that the task is
/// deleted.
async fn ran_once(world: &World, task: i64, emits: Vec<JoinHandle<Vec<DeliveryId>>>, round: usize) {
    let mut made = Vec::new();
    for emit in emits {
        made.extend(emit.await.unwrap());
    }
    assert_eq!(made.len(), 1, "round {round}: {made:?}");
    assert_eq!(world.ended(made[0]).await.state, DeliveryState::Sent);
    let gone = world.get(&format!("tasks/{task}")).await;
    assert_eq!(gone.status, 404);
}

/// SPEC 3: "the task is removed automatically after one run"; SPEC 2.3: "after it has run once".
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_emits_run_one_time_task_once() {
    let world = World::start().await;
    let other = second_engine(&world).await;
    let receiver = Receiver::start(None).await.unwrap();
    for round in 0..8 {
        let name = format!("once-{round}");
        let (_, task) = world.task(receiver.addr, &name, "x", true).await;
        // Two events match one occurrence, by tag and by object.
        for target in [json!({"tag": 4}), json!({"owner": "vms/1"})] {
            world.on_poweron(task, target).await;
        }
        let emits: Vec<_> = (0..64)
            .map(|n| {
                let engine = if n % 2 == 0 {
                    world.engine.clone()
                } else {
                    other.clone()
                };
                tokio::spawn(async move { engine.emit(poweron(1, &[4])).await.unwrap().deliveries })
            })
            .collect();
        ran_once(&world, task, emits, round).await;
        let left = world.get("task_events").await;
        assert_eq!(left.body, "[]", "its events are gone, too");
    }
    world.engine.shutdown(Duration::from_secs(1)).await;
    other.shutdown(Duration::from_secs(1)).await;
    let mut paths: Vec<String> = receiver.received().into_iter().map(|r| r.path).collect();
    paths.sort();
    let expected: Vec<String> = (0..8).map(|round| format!("/once-{round}")).collect();
    assert_eq!(paths, expected, "each arrived once");
}

/// SPEC 2.3 for a system administrator, who receives the occurrences of all tenants.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn administrators_one_time_task_runs_once_across_tenants() {
    let world = World::start().await;
    let administrator = Account::enabled(AccessLevel::SystemAdministrator);
    world.users.set(1, Some(administrator));
    let other = second_engine(&world).await;
    let receiver = Receiver::start(None).await.unwrap();
    for round in 0..8 {
        let name = format!("once-{round}");
        let (_, task) = world.task(receiver.addr, &name, "x", true).await;
        world.on_poweron(task, json!({"tag": 4})).await;
        let mut emits = Vec::new();
        for n in 0..32 {
            let engine = if n % 2 == 0 { &world.engine } else { &other };
            let (engine, tenant) = (engine.clone(), Audience::Tenant(TenantId(1 + n % 4)));
            let occurrence = poweron(1, &[4]).with_audience(tenant);
            emits.push(tokio::spawn(async move {
                engine.emit(occurrence).await.unwrap().deliveries
            }));
        }
        ran_once(&world, task, emits, round).await;
    }
    world.engine.shutdown(Duration::from_secs(1)).await;
    other.shutdown(Duration::from_secs(1)).await;
    assert_eq!(receiver.received().len(), 8, "each arrived once");
}
