//! SPEC 1: what the service does.

use std::time::Duration;

use examples::receiver::Receiver;
use gatepost_keys::{AccessLevel, Account};
use serde_json::json;
use tests::world::{HERE, World, poweron};

/// SPEC 1 rule 1: keys give scripts access to the REST API without an interactive login.
#[tokio::test]
async fn spec_1_rule_1_a_key_opens_the_api() {
    let world = World::start().await;
    assert_eq!(world.probe(&world.admin).await, 200);
    assert_eq!(
        examples::client::call(world.server, HERE, "GET", "/api/v4/system", None, None)
            .await
            .unwrap()
            .status,
        401
    );
}

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

/// SPEC 1 rule 3: an HTTP request is pushed to a URL when an event occurs.
#[tokio::test]
async fn spec_1_rule_3_an_event_pushes_a_request() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (_, task) = world.task(receiver.addr, "push", "hello", false).await;
    world
        .make(
            "task_events",
            json!({"task": task, "table": "vms", "event": "poweron", "owner": "vms/1"}),
        )
        .await;
    world.engine.emit(poweron(1, &[])).await.unwrap();
    assert_eq!(receiver.wait_for("/push", 1).await.unwrap().body, "hello");
}

/// SPEC 1 rule 4: three records put a webhook into action: without any one of them nothing is sent.
#[tokio::test]
async fn spec_1_rule_4_webhook_task_and_event_are_needed() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    assert!(
        world
            .engine
            .emit(poweron(1, &[]))
            .await
            .unwrap()
            .deliveries
            .is_empty()
    );
    let (_, task) = world.task(receiver.addr, "w", "x", false).await;
    assert!(
        world
            .engine
            .emit(poweron(1, &[]))
            .await
            .unwrap()
            .deliveries
            .is_empty()
    );
    world
        .make(
            "task_events",
            json!({"task": task, "table": "vms", "event": "poweron", "owner": "vms/1"}),
        )
        .await;
    assert_eq!(
        world
            .engine
            .emit(poweron(1, &[]))
            .await
            .unwrap()
            .deliveries
            .len(),
        1
    );
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
            world.make("task_events", json!({"task": task, "table": "vms", "event": "poweron", "owner": format!("vms/{vm}")})).await;
        }
    }
    for vm in [1, 2] {
        assert_eq!(
            world
                .engine
                .emit(poweron(vm, &[]))
                .await
                .unwrap()
                .deliveries
                .len(),
            2
        );
    }
    receiver.wait_for("/w", 4).await.unwrap();
    let count = world
        .api(
            "GET",
            &format!("tasks/{first}?fields=count(events)%20as%20n"),
            None,
        )
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
        world
            .make(
                "task_events",
                json!({"task": task, "table": "vms", "event": "poweron", "owner": "vms/1"}),
            )
            .await;
    }
    world.engine.emit(poweron(1, &[])).await.unwrap();
    assert_eq!(chat.wait_for("/chat", 1).await.unwrap().body, "vm-1 is on");
    assert_eq!(
        workflow.wait_for("/workflow", 1).await.unwrap().body,
        "vm-1 is on"
    );
    world.engine.shutdown(Duration::from_secs(1)).await;
}
