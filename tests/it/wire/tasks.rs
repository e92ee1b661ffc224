//! The v4 wire: columns, defaults and limits of tasks and events, through TCP with an ordinary HTTP
//! client, against the example platform.

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use tests::platform::PlatformProcess;
use tests::world::HERE;
use tokio::net::TcpListener;

fn platform() -> (PlatformProcess, TempDir) {
    let folder = tempdir().unwrap();
    // The administrator's changes are paced otherwise.
    let options = ["--unlimited"];
    let platform = PlatformProcess::start(env!("CARGO_BIN_EXE_host"), folder.path(), &options);
    (platform, folder)
}

async fn hook(platform: &PlatformProcess, name: &str) -> i64 {
    let row = json!({"name": name, "url": "https://example.com/"});
    platform.make("webhook_urls", row).await
}

#[tokio::test]
async fn tasks_and_their_limits() {
    let (platform, _folder) = platform();
    let key = hook(&platform, "w").await;
    let owner = format!("webhook_urls/{key}");
    let row = |column: &str, value: Value| {
        let mut row = json!({"name": "t", "owner": owner});
        row[column] = value;
        row
    };
    platform
        .judge(
            "POST",
            "tasks",
            vec![
                (json!({"name": "t"}), 422, "'owner'"),
                (row("name", json!("")), 422, "'name'"),
                (row("name", json!("x".repeat(65))), 422, "'name'"),
                (row("owner", json!("vms/1")), 422, "'owner'"),
                (row("owner", json!("webhook_urls/9")), 422, "'owner'"),
                (row("action", json!("poweron")), 422, "'action'"),
                (row("table", json!("vms")), 422, "'table'"),
                (
                    row("settings_args", json!({"message": 1})),
                    422,
                    "'settings_args'",
                ),
                (row("settings_args", json!("{")), 422, "'settings_args'"),
                (row("id", json!("x".repeat(40))), 422, "'id'"),
                (row("name", json!("x".repeat(64))), 201, ""),
                (row("owner", json!(key)), 201, ""),
                (row("owner", json!(key.to_string())), 201, ""),
                (row("table", json!("webhook_urls")), 201, ""),
                (row("settings_args", json!("{\"message\": \"m\"}")), 201, ""),
                (row("settings_args", json!({"message": ""})), 201, ""),
            ],
        )
        .await;
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
    let (platform, _folder) = platform();
    let key = hook(&platform, "w").await;
    let task = platform
        .make("tasks", json!({"name": "t", "owner": key}))
        .await;
    let of = |table: &str, event: &str| json!({"task": task.to_string(), "table": table, "event": event});
    let with = |mut row: Value, column: &str, value: Value| {
        row[column] = value;
        row
    };
    for (table, events) in [
        ("vms", vec!["poweron", "poweroff", "created"]),
        ("tenants", vec!["online", "offline", "error"]),
        ("site_syncs_outgoing", vec!["error"]),
    ] {
        for event in events {
            platform
                .judge(
                    "POST",
                    "task_events",
                    vec![
                        (of(table, event), 422, "Validation error on field"),
                        (
                            with(
                                with(of(table, event), "owner", json!(format!("{table}/3"))),
                                "tag",
                                json!(4),
                            ),
                            422,
                            "Validation error on field",
                        ),
                        (
                            with(of(table, event), "owner", json!("users/3")),
                            422,
                            "'owner'",
                        ),
                        (
                            with(of(table, event), "owner", json!(format!("{table}/3"))),
                            201,
                            "",
                        ),
                        (with(of(table, event), "tag", json!(4)), 201, ""),
                    ],
                )
                .await;
        }
    }
    for (table, events) in [
        ("users", vec!["login", "logout"]),
        ("alarms", vec!["raised", "lowered"]),
        ("logs", vec!["written"]),
    ] {
        for event in events {
            platform
                .judge("POST", "task_events", vec![(of(table, event), 201, "")])
                .await;
        }
    }
    platform
        .judge(
            "POST",
            "task_events",
            vec![
                (
                    with(of("alarms", "raised"), "tag", json!(4)),
                    422,
                    "Validation error on field",
                ),
                (
                    with(of("alarms", "raised"), "owner", json!("alarms/1")),
                    422,
                    "Validation error on field",
                ),
                (of("nosuch", "raised"), 422, "'table'"),
                (of("alarms", "nosuch"), 422, "'event'"),
                (
                    with(of("alarms", "raised"), "task", json!(99)),
                    422,
                    "'task'",
                ),
                (
                    with(of("alarms", "raised"), "context", json!([1])),
                    422,
                    "'context'",
                ),
            ],
        )
        .await;
    platform
        .judge(
            "PUT",
            "task_events/1",
            vec![
                (json!({"event": "poweroff"}), 422, "'event'"),
                (json!({"table": "users"}), 422, "'table'"),
                (json!({"context": {"a": 1}}), 200, ""),
            ],
        )
        .await;
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
