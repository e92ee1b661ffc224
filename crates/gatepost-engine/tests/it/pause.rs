//! Webhooks that are paused under load: nothing is lost, nothing is sent while they are paused, and
//! the backlog drains, in order if the webhook is in order.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gatepost_engine::{Engine, Limits, RateLimits, Timing};
use gatepost_storage::Page;
use gatepost_storage::webhooks::{DeliveryId, DeliveryLog as _, DeliveryQuery, DeliveryState};
use tokio::task::JoinSet;
use webhook_model::{DeliveryOrder, WebhookId};

use crate::support::{World, poweron, receiver, until, world_with};

const EMITTERS: i64 = 4;

/// Emits until it is stopped; returns the object of each delivery.
async fn pour(engine: Engine, stop: Arc<AtomicBool>) -> BTreeMap<DeliveryId, i64> {
    let mut emitters = JoinSet::new();
    for emitter in 0..EMITTERS {
        let (engine, stop) = (engine.clone(), stop.clone());
        emitters.spawn(async move {
            let mut objects = Vec::new();
            for n in 0..100_000 {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                let number = emitter * 100_000 + n;
                let emitted = engine.emit(poweron(number, &[1])).await.unwrap();
                objects.extend(emitted.deliveries.into_iter().map(|id| (id, number)));
                tokio::time::sleep(Duration::from_millis(4)).await;
            }
            objects
        });
    }
    emitters.join_all().await.into_iter().flatten().collect()
}

/// Waits until every request to a webhook has arrived and its outcome is recorded.
async fn nothing_running(world: &World, webhook: WebhookId) {
    let query = DeliveryQuery {
        webhook: Some(webhook),
        states: vec![DeliveryState::Running],
        ..DeliveryQuery::all(Page::first(1))
    };
    while !world
        .store
        .list_deliveries(&query)
        .await
        .unwrap()
        .is_empty()
    {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn webhook_paused_under_load_holds_then_sends_all() {
    let limits = Limits::default()
        .with_rates(RateLimits::default().with_resumed_per_second(2_000))
        .with_timing(Timing::default().with_poll(Duration::from_millis(20)));
    let world = world_with(|builder| builder.limits(limits)).await;
    let mut hooks = Vec::new();
    for name in ["ordered", "free", "bystander"] {
        let (receiver, addr) = receiver(false, &[]).await;
        let order = |in_order: bool| {
            if in_order {
                DeliveryOrder::InOrder
            } else {
                DeliveryOrder::default()
            }
        };
        let hook = world
            .webhook(name, addr, |w| w.order = order(name == "ordered"))
            .await;
        world.tagged(hook, "${NAME}").await;
        hooks.push((hook, receiver));
    }
    let counts = || -> Vec<usize> {
        let count = |(_, receiver): &(_, crate::support::Receiver)| receiver.bodies().len();
        hooks.iter().map(count).collect()
    };
    let stop = Arc::new(AtomicBool::new(false));
    let pouring = tokio::spawn(pour(world.engine.clone(), stop.clone()));
    until(|| counts().iter().all(|n| *n >= 20)).await;

    for (hook, _) in &hooks[..2] {
        world.engine.pause_webhook(*hook).await.unwrap();
    }
    // Requests in flight arrive.
    for (hook, _) in &hooks[..2] {
        nothing_running(&world, *hook).await;
    }
    let before = counts();
    until(|| counts()[2] >= before[2] + 100).await;
    assert_eq!(counts()[..2], before[..2], "nothing is sent while paused");
    for (hook, _) in &hooks[..2] {
        world.engine.resume_webhook(*hook).await.unwrap();
    }

    until(|| counts().iter().all(|n| *n >= before[2])).await;
    stop.store(true, Ordering::SeqCst);
    let objects = pouring.await.unwrap();
    let all = objects.len() / hooks.len();
    until(|| counts().iter().all(|n| *n >= all)).await;
    for (hook, receiver) in &hooks {
        let mut expected = Vec::new();
        for (id, number) in &objects {
            if world.store.delivery(*id).await.unwrap().unwrap().webhook == *hook {
                expected.push(format!("vm \"{number}\""));
            }
        }
        let mut bodies = receiver.bodies();
        if *hook != hooks[0].0 {
            bodies.sort();
            expected.sort();
        }
        assert_eq!(bodies, expected, "each once, the first webhook's in order");
    }
}
