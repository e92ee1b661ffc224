//! SPEC 6: events.

use axum::http::StatusCode;
use examples::receiver::Receiver;
use gatepost_ids::TenantId;
use gatepost_storage::webhooks::DeliveryState;
use serde_json::json;
use tests::world::{World, poweron};
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
    world.engine.emit(poweron(1, &[])).await.unwrap();
    world.engine.emit(poweron(2, &[4])).await.unwrap();
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

/// SPEC 6 rule 2: the message with variables replaced is sent to the URL with authorization and
/// headers.
#[tokio::test]
async fn spec_6_rule_2_message_authorization_and_headers() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (webhook, task) = world
        .task(receiver.addr, "w", r#"{"n":"${NAME}"}"#, false)
        .await;
    let change = json!({"authorization_type": "bearer", "authorization_value": "t0k", "headers": "Content-Type:application/json\nX-Route:a\nX-Route:b\n"});
    assert_eq!(
        world
            .api("PUT", &format!("webhook_urls/{webhook}"), Some(change))
            .await
            .status,
        200
    );
    world
        .make(
            "task_events",
            json!({"task": task, "table": "vms", "event": "poweron", "owner": "vms/1"}),
        )
        .await;
    world.engine.emit(poweron(1, &[])).await.unwrap();
    let got = receiver.wait_for("/w", 1).await.unwrap();
    assert_eq!(got.body, r#"{"n":"vm-1"}"#);
    assert_eq!(got.header("authorization"), Some("Bearer t0k"));
    assert_eq!(
        got.headers.get_all("x-route").iter().collect::<Vec<_>>(),
        ["a", "b"]
    );
}

/// SPEC 6 rule 3: retries apply when no response or an error is returned; then they end.
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
    world
        .make(
            "task_events",
            json!({"task": task, "table": "vms", "event": "poweron", "owner": "vms/1"}),
        )
        .await;
    let sent = world.engine.emit(poweron(1, &[])).await.unwrap().deliveries[0];
    let delivery = world.ended(sent).await;
    assert_eq!(
        (delivery.state, delivery.attempts),
        (DeliveryState::Sent, 3)
    );
    receiver.answer_with(&[StatusCode::INTERNAL_SERVER_ERROR; 3]);
    let failed = world.engine.emit(poweron(1, &[])).await.unwrap().deliveries[0];
    let delivery = world.ended(failed).await;
    assert_eq!(
        (delivery.state, delivery.attempts),
        (DeliveryState::Error, 3),
        "one attempt and two retries"
    );
}

/// SPEC 6 rule 4: the service is the sender: a webhook's endpoint is not one of ours.
#[tokio::test]
async fn spec_6_rule_4_nothing_is_received() {
    let world = World::start().await;
    assert_eq!(
        world.api("POST", "webhooks", Some(json!({}))).await.status,
        405
    );
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
        let answer = world.api("POST", "task_events", Some(event)).await;
        assert_eq!(answer.status, 422);
        assert!(
            answer.body.contains(&format!("'{field}'")),
            "{}",
            answer.body
        );
    }
}

/// SPEC 6 rule 6: the body is the message and nothing else.
#[tokio::test]
async fn spec_6_rule_6_the_body_is_the_message() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (webhook, _) = world.task(receiver.addr, "w", "x", false).await;
    world
        .api(
            "POST",
            &format!("webhook_urls/{webhook}/send"),
            Some(json!({"message": "exactly this"})),
        )
        .await;
    assert_eq!(
        receiver.wait_for("/w", 1).await.unwrap().body,
        "exactly this"
    );
}
