//! `null` where no body is given: clients that openapi-generator makes for Go and Java send it.

use serde_json::{Value, json};
use tests::world::World;

use super::v4_clients::{log, told, waiting_task};

#[tokio::test]
async fn null_body_is_accepted_only_if_optional() {
    let world = World::start().await;
    let task = waiting_task(&world, "t", "x").await;
    let event = json!({"task": task, "table": "alarms", "event": "raised"});
    let event = world.make("task_events", event).await;
    for (method, path) in [
        ("POST", format!("tasks/{task}/execute")),
        ("PUT", format!("tasks/{task}?action=execute")),
        ("POST", format!("task_events/{event}/trigger")),
        ("PUT", format!("tasks/{task}")),
        ("POST", format!("tasks/{task}/cancel")),
        ("PUT", "webhook_urls/1?action=resume".to_owned()),
        ("DELETE", format!("task_events/{event}")),
    ] {
        let response = world.api(method, &path, Some(Value::Null)).await;
        assert_eq!(response.status, 200, "{method} {path}: {}", response.body);
    }
    assert_eq!(log(&world, "message").await, ["x"; 3]);
    for (path, body) in [
        ("tasks", Value::Null),
        ("task_actions", Value::Null),
        ("leaked_keys", Value::Null),
        ("subscriptions", Value::Null),
        // Nothing else is no body.
        ("tasks/1/cancel", json!([])),
        ("tasks/1/cancel", json!("null")),
        ("tasks/1/cancel", json!(false)),
        ("tasks/1/cancel", json!({"params": false})),
    ] {
        let (status, said) = told(&world, "POST", path, body).await;
        let rule = said["err"].as_str().unwrap();
        assert!(matches!(status, 400 | 422), "{path}: {status}");
        assert!(rule.contains("must be a JSON object"), "{path}: {rule}");
    }
}
