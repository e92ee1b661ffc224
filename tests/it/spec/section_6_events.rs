//! SPEC 6: events.

use axum::http::StatusCode;
use examples::receiver::Receiver;
use gatepost_ids::TenantId;
use gatepost_storage::webhooks::DeliveryState;
use serde_json::json;
use tests::world::{Expect as _, World};
use webhook_model::{Audience, Occurrence};

/// SPEC 6 rule 1: a trigger event runs the task for a specific instance, for any object with the
/// tag, or generically.
#[tokio::test]
async fn spec_6_rule_1_instance_tag_and_generic() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    for (name, event) in [
        (
            "instance",
            json!({"table": "vms", "event": "poweron", "owner": "vms/1"}),
        ),
        ("tag", json!({"table": "vms", "event": "poweron", "tag": 4})),
        ("generic", json!({"table": "alarms", "event": "raised"})),
    ] {
        let (_, task) = world.task(receiver.addr, name, name, false).await;
        let mut event = event;
        event["task"] = json!(task);
        world.make("task_events", event).await;
    }
    world.emit(1, &[]).await;
    world.emit(2, &[4]).await;
    world
        .engine
        .emit(Occurrence::new(
            "alarms".parse().unwrap(),
            "raised".parse().unwrap(),
            Audience::Tenant(TenantId(1)),
        ))
        .await
        .unwrap();
    for name in ["instance", "tag", "generic"] {
        assert_eq!(
            receiver
                .wait_for(&format!("/{name}"), 1)
                .await
                .unwrap()
                .body,
            name
        );
    }
    assert_eq!(receiver.received().len(), 3);
}

/// SPEC 6 rules 2 and 6: the message with variables replaced, and nothing else, is sent to the URL
/// with authorization and headers.
#[tokio::test]
async fn spec_6_rule_2_message_authorization_and_headers() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (webhook, task) = world
        .task(receiver.addr, "w", r#"{"n":"${NAME}"}"#, false)
        .await;
    let change = json!({"authorization_type": "bearer", "authorization_value": "t0k", "headers": "Content-Type:application/json\nX-Route:a\nX-Route:b\n"});
    let answer = world.put(&format!("webhook_urls/{webhook}"), change).await;
    answer.expect(200);
    world.on_poweron(task, json!({"owner": "vms/1"})).await;
    world.emit(1, &[]).await;
    let got = receiver.wait_for("/w", 1).await.unwrap();
    assert_eq!(got.body, r#"{"n":"vm-1"}"#);
    assert_eq!(got.header("authorization"), Some("Bearer t0k"));
    assert_eq!(
        got.headers.get_all("x-route").iter().collect::<Vec<_>>(),
        ["a", "b"]
    );
}

/// SPEC 6 rule 3: retries apply when no response or an error is returned. That they end is said by
/// the test of SPEC 2.2 "Retries".
#[tokio::test]
async fn spec_6_rule_3_retries() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    receiver.answer_with(&[
        StatusCode::INTERNAL_SERVER_ERROR,
        StatusCode::NOT_FOUND,
        StatusCode::OK,
    ]);
    let (_, task) = world.task(receiver.addr, "w", "x", false).await;
    world.on_poweron(task, json!({"owner": "vms/1"})).await;
    let sent = world.emit(1, &[]).await[0];
    let delivery = world.ended(sent).await;
    assert_eq!(
        (delivery.state, delivery.attempts),
        (DeliveryState::Sent, 3)
    );
}

/// SPEC 6 rule 4: the service is the sender: a webhook's endpoint is not one of ours.
#[tokio::test]
async fn spec_6_rule_4_nothing_is_received() {
    let world = World::start().await;
    world.post("webhooks", json!({})).await.expect(405);
}

/// SPEC 6 rule 5: the selectable types and events are the platform's.
#[tokio::test]
async fn spec_6_rule_5_the_catalog_is_the_platforms() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (_, task) = world.task(receiver.addr, "w", "x", false).await;
    for (event, field) in [
        (
            json!({"task": task, "table": "nodes", "event": "x"}),
            "table",
        ),
        (
            json!({"task": task, "table": "vms", "event": "x", "tag": 1}),
            "event",
        ),
        (
            json!({"task": task, "table": "vms", "event": "poweron"}),
            "owner",
        ),
        (
            json!({"task": task, "table": "alarms", "event": "raised", "tag": 1}),
            "owner",
        ),
    ] {
        let answer = world.post("task_events", event).await;
        assert_eq!(answer.status, 422);
        assert!(
            answer.body.contains(&format!("'{field}'")),
            "{}",
            answer.body
        );
    }
}
