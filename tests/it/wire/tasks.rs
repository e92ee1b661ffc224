//! The v4 wire: columns, defaults and limits of tasks and events, through TCP with an ordinary HTTP
//! client, against the example platform.

use serde_json::{Value, json};
use tempfile::tempdir;
use tests::platform::PlatformProcess;
use tests::world::{HERE, with};
use tokio::net::TcpListener;

use super::{hook, platform};

#[tokio::test]
async fn tasks_and_their_limits() {
    let (platform, _folder) = platform(&["--unlimited"]);
    let key = hook(&platform, "w").await;
    let owner = format!("webhook_urls/{key}");
    let row = json!({"name": "t", "owner": owner});
    let refused = vec![
        ("name", json!("")),
        ("name", json!("x".repeat(65))),
        ("owner", json!("vms/1")),
        ("owner", json!("webhook_urls/9")),
        ("action", json!("poweron")),
        ("table", json!("vms")),
        ("settings_args", json!({"message": 1})),
        ("settings_args", json!("{")),
        ("id", json!("x".repeat(40))),
    ];
    platform.refuses("tasks", &row, refused).await;
    let without = vec![(json!({"name": "t"}), 422, "'owner'")];
    platform.judge("POST", "tasks", without).await;
    for (column, value) in [
        ("name", json!("x".repeat(64))),
        ("owner", json!(key)),
        ("owner", json!(key.to_string())),
        ("table", json!("webhook_urls")),
        ("settings_args", json!("{\"message\": \"m\"}")),
        ("settings_args", json!({"message": ""})),
    ] {
        let row = with(row.clone(), &json!({column: value}));
        platform.make("tasks", row).await;
    }
    let rows = platform.rows("tasks?fields=all").await;
    let messages: Vec<&str> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["settings_args"]["message"].as_str().unwrap())
        .collect();
    let default = messages[0];
    assert!(default.contains("Webhook"), "{default}");
    assert_eq!(messages, [default, default, default, default, "m", ""]);
    let first = &rows[1];
    for (column, value) in [
        ("name", json!("t")),
        ("description", json!("")),
        ("enabled", json!(true)),
        ("owner", json!(owner)),
        ("table", json!("webhook_urls")),
        ("action", json!("send")),
        ("status", json!("idle")),
        ("last_run", json!(0)),
        ("delete_after_run", json!(false)),
        ("creator", json!("users/1")),
        ("system_created", json!(false)),
    ] {
        assert_eq!(first[column], value, "{column}");
    }
    assert!(
        first["id"]
            .as_str()
            .unwrap()
            .bytes()
            .all(|b| b.is_ascii_hexdigit())
            && first["id"] != rows[0]["id"]
    );
    assert!(first["action_display"].is_string() && first["created"] == first["modified"]);
    assert_eq!(
        platform
            .rows("tasks?fields=$key&filter=owner%20eq%20'webhook_urls/1'&limit=1")
            .await,
        json!([{"$key": 1}])
    );
    // A task that runs once is deleted after its run.
    platform
        .call("PUT", "tasks/1", Some(json!({"delete_after_run": true})))
        .await;
    platform
        .call("PUT", "tasks/1?action=execute", Some(json!({})))
        .await;
    assert_eq!(platform.call("GET", "tasks/1", None).await.0, 404);
}

/// WIRE 5 and 6: a delivery that is being sent is `running`, and so is its task, which shows its
/// last run.
#[tokio::test]
async fn task_and_delivery_are_running_until_target_responds() {
    let folder = tempdir().unwrap();
    let arguments = ["--allow-private-targets"];
    let platform = PlatformProcess::start(env!("CARGO_BIN_EXE_host"), folder.path(), &arguments);
    let target = TcpListener::bind((HERE, 0)).await.unwrap();
    let url = format!("http://{}/", target.local_addr().unwrap());
    let hook = json!({"name": "w", "url": url});
    let owner = platform.make("webhook_urls", hook).await;
    let task = json!({"name": "t", "owner": owner});
    let task = platform.make("tasks", task).await;
    let path = format!("tasks/{task}");
    let idle = platform.call("GET", &path, None).await.1;
    let before = (&idle["status"], &idle["last_run"]);
    assert_eq!(before, (&json!("idle"), &json!(0)));
    let execute = format!("{path}?action=execute");
    platform.call("PUT", &execute, Some(json!({}))).await;
    let _silent = target.accept().await.unwrap();
    let running = platform.call("GET", &path, None).await.1;
    assert_eq!(running["status"], "running");
    assert!(running["last_run"].as_i64().unwrap() > 1_700_000_000);
    let deliveries = platform.rows("webhooks?fields=status").await;
    assert_eq!(deliveries, json!([{"status": "running"}]));
}

/// The types that the example platform registers, each with its events; instance, tag or neither as
/// the type requires.
#[tokio::test]
async fn events_of_every_type() {
    let (platform, _folder) = platform(&["--unlimited"]);
    let key = hook(&platform, "w").await;
    let task = platform
        .make("tasks", json!({"name": "t", "owner": key}))
        .await;
    let of = |table: &str, event: &str| json!({"task": task.to_string(), "table": table, "event": event});
    let invalid = "Validation error on field";
    for (table, events) in [
        ("vms", vec!["poweron", "poweroff", "created"]),
        ("tenants", vec!["online", "offline", "error"]),
        ("site_syncs_outgoing", vec!["error"]),
    ] {
        for event in events {
            let on = |columns: Value| with(of(table, event), &columns);
            let owner = format!("{table}/3");
            let cases = vec![
                (of(table, event), 422, invalid),
                (on(json!({"owner": owner, "tag": 4})), 422, invalid),
                (on(json!({"owner": "users/3"})), 422, "'owner'"),
                (on(json!({"owner": owner})), 201, ""),
                (on(json!({"tag": 4})), 201, ""),
            ];
            platform.judge("POST", "task_events", cases).await;
        }
    }
    for (table, events) in [
        ("users", vec!["login", "logout"]),
        ("alarms", vec!["raised", "lowered"]),
        ("logs", vec!["written"]),
    ] {
        for event in events {
            platform.make("task_events", of(table, event)).await;
        }
    }
    let raised = |columns: Value| with(of("alarms", "raised"), &columns);
    let cases = vec![
        (raised(json!({"tag": 4})), 422, invalid),
        (raised(json!({"owner": "alarms/1"})), 422, invalid),
        (of("nosuch", "raised"), 422, "'table'"),
        (of("alarms", "nosuch"), 422, "'event'"),
        (raised(json!({"task": 99})), 422, "'task'"),
        (raised(json!({"context": [1]})), 422, "'context'"),
    ];
    platform.judge("POST", "task_events", cases).await;
    let cases = vec![
        (json!({"event": "poweroff"}), 422, "'event'"),
        (json!({"table": "users"}), 422, "'table'"),
        (json!({"context": {"a": 1}}), 200, ""),
    ];
    platform.judge("PUT", "task_events/1", cases).await;
    let (_, row) = platform.call("GET", "task_events/1?fields=event_name,owner,context,owner%23$display%20as%20d,task%23$display%20as%20t", None).await;
    assert_eq!(
        row,
        json!({"event_name": "Powered on", "owner": "vms/3", "context": {"a": 1}, "d": "build", "t": "t"})
    );
    assert_eq!(
        platform
            .call(
                "POST",
                "task_events/1/trigger",
                Some(json!({"context": {"x": 1}}))
            )
            .await,
        (200, json!({}))
    );
    assert_eq!(
        platform
            .call(
                "PUT",
                "task_events/1?action=trigger",
                Some(json!({"params": {"context": {}}}))
            )
            .await,
        (200, json!({}))
    );
    platform
        .call("DELETE", &format!("tasks/{task}"), None)
        .await;
    assert_eq!(platform.rows("task_events").await, json!([]));
}
