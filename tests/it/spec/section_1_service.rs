//! SPEC 1: what the service does.

use std::time::Duration;

use examples::receiver::Receiver;
use gatepost_keys::{AccessLevel, Account};
use serde_json::json;
use tests::world::{HERE, World};

/// SPEC 1 rule 2: a key inherits the access level of its user; a tenant administrator's has the
/// tenant's, a system administrator's the system's; asked at the time of the request.
#[tokio::test]
async fn spec_1_rule_2_a_key_has_the_powers_of_its_user() {
    let world = World::start().await;
    let (user, tenant) = (
        world.key_of(3, "user").await,
        world.key_of(2, "tenant").await,
    );
    world.key_of(4, "outside").await;
    let seen = async |key: &str| {
        let answer = world
            .call(key, HERE, "GET", "user_api_keys?fields=user", None)
            .await;
        let mut users: Vec<i64> = answer
            .json()
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["user"].as_i64().unwrap())
            .collect();
        users.sort_unstable();
        users
    };
    assert_eq!(seen(&user).await, [3]);
    assert_eq!(seen(&tenant).await, [2, 3]);
    assert_eq!(seen(&world.admin).await, [1, 2, 3, 4]);
    world
        .users
        .set(3, Some(Account::enabled(AccessLevel::SystemAdministrator)));
    assert_eq!(
        seen(&user).await,
        [1, 2, 3, 4],
        "the same key, the new powers"
    );
}

/// SPEC 1 rules 3 and 4: an event pushes an HTTP request to a URL. Three records put a webhook into
/// action: without any one of them nothing is sent.
#[tokio::test]
async fn spec_1_rule_4_webhook_task_and_event_are_needed() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    assert!(world.emit(1, &[]).await.is_empty());
    let (_, task) = world.task(receiver.addr, "w", "x", false).await;
    assert!(world.emit(1, &[]).await.is_empty());
    world.on_poweron(task, json!({"owner": "vms/1"})).await;
    assert_eq!(world.emit(1, &[]).await.len(), 1);
    assert_eq!(receiver.wait_for("/w", 1).await.unwrap().body, "x");
}

/// SPEC 1 rule 5: one webhook has many tasks and events; one task is triggered by many events.
#[tokio::test]
async fn spec_1_rule_5_one_webhook_many_tasks_one_task_many_events() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (webhook, first) = world.task(receiver.addr, "w", "first", false).await;
    let second = world.make("tasks", json!({"name": "second", "owner": format!("webhook_urls/{webhook}"), "settings_args": {"message": "second"}})).await;
    for task in [first, second] {
        for vm in [1, 2] {
            world
                .on_poweron(task, json!({"owner": format!("vms/{vm}")}))
                .await;
        }
    }
    for vm in [1, 2] {
        assert_eq!(world.emit(vm, &[]).await.len(), 2);
    }
    receiver.wait_for("/w", 4).await.unwrap();
    let count = world
        .get(&format!("tasks/{first}?fields=count(events)%20as%20n"))
        .await
        .json();
    assert_eq!(count["n"], 2);
}

/// SPEC 1 rule 6: a chat channel is notified, a workflow is started: several webhooks for one
/// occurrence.
#[tokio::test]
async fn spec_1_rule_6_several_targets_hear_of_one_occurrence() {
    let world = World::start().await;
    let (chat, workflow) = (
        Receiver::start(None).await.unwrap(),
        Receiver::start(None).await.unwrap(),
    );
    for (receiver, name) in [(&chat, "chat"), (&workflow, "workflow")] {
        let (_, task) = world
            .task(receiver.addr, name, "${NAME} is on", false)
            .await;
        world.on_poweron(task, json!({"owner": "vms/1"})).await;
    }
    world.emit(1, &[]).await;
    assert_eq!(chat.wait_for("/chat", 1).await.unwrap().body, "vm-1 is on");
    assert_eq!(
        workflow.wait_for("/workflow", 1).await.unwrap().body,
        "vm-1 is on"
    );
    world.engine.shutdown(Duration::from_secs(1)).await;
}
