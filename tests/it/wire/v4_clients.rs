//! Requests of existing clients of the v4 wire, apart from plain rows: a label with an event,
//! parameters with a run, the cancellation of a task (WIRE 6, WIRE 7).

use gatepost_engine::RunContext;
use serde_json::{Value, json};
use tempfile::tempdir;
use tests::platform::PlatformProcess;
use tests::world::{Expect as _, World};

/// Creates a paused webhook, so that deliveries to it wait, and a task that sends through it.
pub(super) async fn waiting_task(world: &World, name: &str, message: &str) -> i64 {
    let url = "https://example.com/";
    let webhook = json!({"name": name, "url": url});
    let webhook = world.make("webhook_urls", webhook).await;
    world
        .api("POST", &format!("webhook_urls/{webhook}/pause"), None)
        .await
        .expect(200);
    let task = json!({
        "name": name, "owner": format!("webhook_urls/{webhook}"), "settings_args": {"message": message},
    });
    world.make("tasks", task).await
}

pub(super) async fn told(world: &World, method: &str, path: &str, body: Value) -> (u16, Value) {
    let response = world.api(method, path, Some(body)).await;
    (response.status, response.json())
}

/// Returns one column of the log, oldest first.
pub(super) async fn log(world: &World, column: &str) -> Vec<String> {
    let path = format!("webhooks?fields={column}&sort=+$key");
    let rows = world.get(&path).await.json();
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row[column].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn event_keeps_label_from_its_creation() {
    let world = World::start().await;
    let task = waiting_task(&world, "t", "x").await;
    let event = |label: Value| json!({"task": task, "table": "alarms", "event": "raised", "event_name": label});
    let made = world.make("task_events", event(json!("Night watch"))).await;
    let path = format!("task_events/{made}");
    let label = async || {
        let row = world.get(&path).await.json();
        row["event_name"].clone()
    };
    assert_eq!(label().await, "Night watch");
    let listed = "task_events?filter=event_name%20eq%20'Night%20watch'&fields=$key";
    let listed = world.get(listed).await.json();
    assert_eq!(listed, json!([{"$key": made}]));

    // An edit of another column keeps it; a whole row that is sent back changes nothing.
    let (status, mut row) = told(&world, "PUT", &path, json!({"enabled": false})).await;
    assert_eq!((status, &row["event_name"]), (200, &json!("Night watch")));
    row["enabled"] = json!(true);
    assert_eq!(told(&world, "PUT", &path, row).await.0, 200);
    assert_eq!(label().await, "Night watch");
    // Without its own name it has the platform's words, also after those were sent back.
    let (_, row) = told(&world, "PUT", &path, json!({"event_name": ""})).await;
    let in_catalog = row["event_name"].clone();
    assert_ne!(in_catalog, "");
    assert_eq!(told(&world, "PUT", &path, row).await.0, 200);
    assert_eq!(label().await, in_catalog);

    for wrong in [
        json!("x".repeat(129)),
        json!("a\nb"),
        json!("a\u{202e}b"),
        json!(7),
    ] {
        let (status, said) = told(&world, "POST", "task_events", event(wrong.clone())).await;
        assert_eq!(status, 422, "{wrong}");
        assert!(
            said["err"].as_str().unwrap().contains("'event_name'"),
            "{said}"
        );
    }
    let longest = event(json!("é".repeat(128)));
    assert_eq!(told(&world, "POST", "task_events", longest).await.0, 201);
}

#[tokio::test]
async fn the_parameters_of_a_run_are_its_variables() {
    let world = World::start().await;
    let message = "${REASON} ${count} ${list} ${NAME}";
    let task = waiting_task(&world, "t", message).await;
    let params = json!({"REASON": "nightly", "count": 3, "list": [1, "a"], "NAME": "by hand"});
    let beside = json!({"REASON": "\"quoted\" ${count}", "count": true, "list": null, "NAME": ""});
    for (method, path, body) in [
        (
            "PUT",
            format!("tasks/{task}?action=execute"),
            json!({"params": params}),
        ),
        ("POST", format!("tasks/{task}/execute"), params.clone()),
        (
            "POST",
            "task_actions".to_owned(),
            json!({"task": task.to_string(), "action": "execute", "params": params}),
        ),
        ("POST", format!("tasks/{task}/execute"), beside),
        ("PUT", format!("tasks/{task}?action=execute"), json!({})),
    ] {
        let answer = told(&world, method, &path, body).await;
        assert_eq!(answer, (200, json!({})), "{method} {path}");
    }
    let sent = log(&world, "message").await;
    let with = "nightly 3 [1,\"a\"] by hand";
    assert_eq!(sent[..3], [with, with, with]);
    // Values are not expanded again, and a run without parameters has none of an earlier one.
    assert_eq!(sent[3], "\"quoted\" ${count} true null ");
    assert_eq!(sent[4], "${REASON} ${count} ${list} ");
}

/// SPEC 2.3 `${NAME}` is the name of the object in question; no parameter of this wire says which.
#[tokio::test]
async fn name_variable_of_run_is_parameter_or_empty() {
    let world = World::start().await;
    let message = r#"{"of":"${NAME}","bare":${NAME},"who":"${USER}"}"#;
    let task = waiting_task(&world, "t", message).await;
    let execute = format!("tasks/{task}/execute");
    for (at, name, filled_in) in [
        (0, None, r#"{"of":"","bare":"","who":"${USER}"}"#),
        (
            1,
            Some("web-1"),
            r#"{"of":"web-1","bare":"web-1","who":"${USER}"}"#,
        ),
    ] {
        let params = name.map_or_else(|| json!({}), |name| json!({"NAME": name}));
        assert_eq!(told(&world, "POST", &execute, params).await.0, 200);
        assert_eq!(log(&world, "message").await[at], filled_in);
        // The preview of the same run.
        let variables = name.map(|name| ("NAME".to_owned(), name.to_owned()));
        let about = RunContext::default().with_variables(variables.into_iter().collect());
        let example = world.engine.example(&message.parse().unwrap(), &about);
        assert_eq!(example.unwrap().text, filled_in);
    }
}

#[tokio::test]
async fn invalid_variable_parameters_are_refused_without_running() {
    let world = World::start().await;
    let task = waiting_task(&world, "t", "x").await;
    let many: serde_json::Map<_, _> = (0..101).map(|n| (format!("V{n}"), json!(n))).collect();
    for (params, words) in [
        (json!({"1st": "x"}), "not '1st'"),
        (json!({"a.b": "x"}), "not 'a.b'"),
        (json!({"": "x"}), "names of 1 to 64 letters"),
        (json!({"TIMESTAMP": 1}), "'TIMESTAMP', which has a value"),
        (json!({"data": {"a": 1}}), "'data', which has a value"),
        (json!({"V": "x".repeat(70_000)}), "65536 bytes"),
        (Value::Object(many), "100 variables"),
        (json!([1]), "must be a JSON object"),
    ] {
        let body = json!({"params": params});
        let (status, said) =
            told(&world, "PUT", &format!("tasks/{task}?action=execute"), body).await;
        let said = said["err"].as_str().unwrap();
        assert_eq!(status, 422, "{said}");
        assert!(said.contains("'params'") && said.contains(words), "{said}");
    }
    assert!(log(&world, "message").await.is_empty());
}

#[tokio::test]
async fn task_cancellation_ends_only_its_waiting_deliveries() {
    let world = World::start().await;
    let (task, other) = (
        waiting_task(&world, "t", "x").await,
        waiting_task(&world, "other", "y").await,
    );
    // More than one transaction ends.
    for _ in 0..102 {
        told(&world, "POST", &format!("tasks/{task}/execute"), json!({})).await;
    }
    told(&world, "POST", &format!("tasks/{other}/execute"), json!({})).await;
    let stranger = world.key_of(4, "k").await;
    let path = format!("tasks/{task}/cancel");
    world
        .call(
            &stranger,
            tests::world::HERE,
            "POST",
            &path,
            Some(json!({})),
        )
        .await
        .expect(404);
    assert!(log(&world, "status").await.iter().all(|s| s == "queued"));

    assert_eq!(
        told(&world, "POST", &path, json!({})).await,
        (200, json!({}))
    );
    let standing = log(&world, "status").await;
    assert_eq!(standing.len(), 103);
    assert!(standing[..102].iter().all(|status| status == "error"));
    assert_eq!(standing[102], "queued");
    assert_eq!(log(&world, "status_info").await[0], "cancelled");

    // Again, in the other spellings: nothing waits, which is no error; the task is unchanged.
    let body = json!({"task": task, "action": "cancel"});
    assert_eq!(
        told(&world, "POST", "task_actions", body).await,
        (200, json!({}))
    );
    let by_query = format!("tasks/{task}?action=cancel");
    assert_eq!(
        told(&world, "PUT", &by_query, json!({})).await,
        (200, json!({}))
    );
    told(&world, "POST", &format!("tasks/{task}/execute"), json!({})).await;
    assert_eq!(log(&world, "status").await[103], "queued");
    assert_eq!(
        told(&world, "POST", "tasks/99/cancel", json!({})).await.0,
        404
    );
}

#[tokio::test]
async fn events_on_missing_objects_are_refused() {
    let folder = tempdir().unwrap();
    let platform = PlatformProcess::start(env!("CARGO_BIN_EXE_host"), folder.path(), &[]);
    let webhook = json!({"name": "w", "url": "https://example.com/"});
    let webhook = platform.make("webhook_urls", webhook).await;
    let task = json!({"name": "t", "owner": format!("webhook_urls/{webhook}")});
    let task = platform.make("tasks", task).await;
    let on =
        |owner: &str| json!({"task": task, "table": "vms", "event": "poweron", "owner": owner});
    let tagged = |tag: i64| json!({"task": task, "table": "vms", "event": "poweron", "tag": tag});
    let made = vec![
        (on("vms/99"), 422, "there is no such object or tag"),
        (tagged(99), 422, "'tag' - 'there is no such object or tag'"),
        (tagged(1), 201, ""),
        (on("vms/3"), 201, ""),
    ];
    platform.judge("POST", "task_events", made).await;
    let moved = vec![
        (
            json!({"owner": "vms/99"}),
            422,
            "there is no such object or tag",
        ),
        (
            json!({"tag": 99, "owner": null}),
            422,
            "'tag' - 'there is no such object or tag'",
        ),
        (json!({"owner": "vms/2", "tag": 0}), 200, ""),
    ];
    platform.judge("PUT", "task_events/1", moved).await;
}
