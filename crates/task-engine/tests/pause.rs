//! Webhooks that are paused while occurrences pour in: nothing is lost, nothing is sent meanwhile, and what was held
//! drains, in order where that was asked for.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use std::collections::BTreeMap;
use std::time::Duration;

use common::{poweron, receiver, until, world_with};
use storage::webhooks::{DeliveryId, DeliveryLog as _};
use task_engine::{Engine, Limits};
use tokio::task::JoinSet;
use webhook_model::{DeliveryOrder, TagId, Target};

const EMITTERS: i64 = 4;
const EACH: i64 = 150;

/// Emits all the time; tells which delivery is of which object.
async fn pour(engine: Engine) -> BTreeMap<DeliveryId, i64> {
    let mut emitters = JoinSet::new();
    for emitter in 0..EMITTERS {
        let engine = engine.clone();
        emitters.spawn(async move {
            let mut told = Vec::new();
            for n in 0..EACH {
                let number = emitter * EACH + n;
                let emitted = engine.emit(poweron(number, &[1])).await.unwrap();
                told.extend(emitted.deliveries.into_iter().map(|id| (id, number)));
                tokio::time::sleep(Duration::from_millis(4)).await;
            }
            told
        });
    }
    emitters.join_all().await.into_iter().flatten().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_paused_under_load_holds_all_and_sends_all() {
    let mut limits = Limits::default();
    limits.resume_per_second = 2_000;
    limits.poll = Duration::from_millis(20);
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
        let task = world.task(hook, "${NAME}", false).await;
        world
            .event("vms", "poweron", Target::Tag(TagId(1)), task)
            .await;
        hooks.push((hook, receiver));
    }
    let counts = || -> Vec<usize> {
        let count = |(_, receiver): &(_, common::Receiver)| receiver.bodies.lock().unwrap().len();
        hooks.iter().map(count).collect()
    };
    let pouring = tokio::spawn(pour(world.engine.clone()));
    until(|| counts().iter().all(|n| *n >= 20)).await;

    for (hook, _) in &hooks[..2] {
        world.engine.pause_webhook(*hook).await.unwrap();
    }
    // What was on its way arrives.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let before = counts();
    until(|| counts()[2] >= before[2] + 100).await;
    assert_eq!(counts()[..2], before[..2], "nothing is sent while paused");
    assert!(!pouring.is_finished(), "there was load all the time");
    for (hook, _) in &hooks[..2] {
        world.engine.resume_webhook(*hook).await.unwrap();
    }

    let told = pouring.await.unwrap();
    let all = usize::try_from(EMITTERS * EACH).unwrap();
    until(|| counts().iter().all(|n| *n >= all)).await;
    for (hook, receiver) in &hooks {
        let mut expected = Vec::new();
        for (id, number) in &told {
            if world.store.delivery(*id).await.unwrap().unwrap().webhook == *hook {
                expected.push(format!("vm \"{number}\""));
            }
        }
        let mut bodies = receiver.bodies.lock().unwrap().clone();
        if *hook != hooks[0].0 {
            bodies.sort();
            expected.sort();
        }
        assert_eq!(bodies, expected, "each once, the first webhook's in order");
    }
}
