//! Requests in the words of the specification, and what responses say in plain words.

use serde_json::{Value, json};
use tests::world::{Expect as _, World};

async fn hook(world: &World) -> i64 {
    let row = json!({"name": "w", "url": "https://example.com/"});
    world.make("webhook_urls", row).await
}

async fn read(world: &World, path: &str) -> Value {
    world.get(path).await.json()
}

#[tokio::test]
async fn words_of_the_spec_are_taken_in_requests() {
    let world = World::start().await;
    let never = json!({"name": "a", "user": 1, "expires_type": "Never Expire"});
    let (_, never) = world.make_key(never).await;
    let expires = world.now() + 3_600;
    let set = json!({"name": "b", "user": 1, "expires_type": "set date", "expires": expires});
    let (_, set) = world.make_key(set).await;
    for (key, word) in [(never, "never"), (set, "date")] {
        let row = read(&world, &format!("user_api_keys/{key}")).await;
        assert_eq!(row["expires_type"], word);
    }
    for (number, (word, value, wire)) in [
        ("Bearer Token", Some("t"), "bearer"),
        ("API Key", Some("k"), "apikey"),
        ("Basic", Some("u:p"), "basic"),
        ("NONE", None, "none"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut row = json!({"name": format!("w{number}"), "url": "https://example.com/", "authorization_type": word});
        if let Some(value) = value {
            row["authorization_value"] = value.into();
        }
        let key = world.make("webhook_urls", row).await;
        let row = read(&world, &format!("webhook_urls/{key}")).await;
        assert_eq!(row["authorization_type"], wire, "{word}");
    }
    let task =
        json!({"name": "t", "owner": "webhook_urls/1", "table": "Webhook", "action": "Send"});
    let task = world.make("tasks", task).await;
    let row = read(&world, &format!("tasks/{task}")).await;
    assert_eq!(
        (&row["table"], &row["action"]),
        (&json!("webhook_urls"), &json!("send"))
    );
}

#[tokio::test]
async fn rate_of_a_webhook_is_set_over_rest() {
    let world = World::start().await;
    let key = hook(&world).await;
    let path = format!("webhook_urls/{key}?fields=rate");
    assert_eq!(read(&world, &path).await["rate"], 0);
    for rate in [30, 10_000, 0] {
        let edit = Some(json!({"rate": rate}));
        let edited = world.api("PUT", &format!("webhook_urls/{key}"), edit).await;
        assert_eq!(edited.status, 200, "{}", edited.body);
        assert_eq!(read(&world, &path).await["rate"], rate);
    }
    let edit = Some(json!({"rate": 10_001}));
    let refused = world.api("PUT", &format!("webhook_urls/{key}"), edit).await;
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("'rate'"), "{}", refused.body);
}

#[tokio::test]
async fn lists_without_fields_show_enabled() {
    let world = World::start().await;
    let key = hook(&world).await;
    let task = json!({"name": "t", "owner": format!("webhook_urls/{key}")});
    let task = world.make("tasks", task).await;
    let event = json!({"task": task, "table": "alarms", "event": "raised"});
    world.make("task_events", event).await;
    for table in ["user_api_keys", "webhook_urls", "tasks", "task_events"] {
        let rows = read(&world, table).await;
        assert_eq!(rows[0]["enabled"], true, "{table}: {rows}");
    }
}

#[tokio::test]
async fn refused_deletion_counts_tasks_beyond_the_named() {
    let world = World::start().await;
    let key = hook(&world).await;
    for number in 0..60 {
        let task = json!({"name": format!("t{number}"), "owner": format!("webhook_urls/{key}")});
        world.make("tasks", task).await;
    }
    let refused = world.delete(&format!("webhook_urls/{key}")).await;
    assert_eq!(refused.status, 409);
    let said = refused.json()["err"].as_str().unwrap().to_owned();
    assert!(said.ends_with("t18, t19 and 40 more"), "{said}");
}

#[tokio::test]
async fn message_to_disabled_webhook_shows_waiting_reason() {
    let world = World::start().await;
    let key = hook(&world).await;
    let path = format!("webhook_urls/{key}");
    let disabled = world.put(&path, json!({"enabled": false})).await;
    assert_eq!(disabled.status, 200);
    let answer = world.post(&format!("{path}/send"), json!({})).await;
    answer.expect(200);
    for asked in [
        "webhooks",
        "webhooks?fields=all",
        "webhooks?filter=$key%20eq%201",
    ] {
        let rows = read(&world, asked).await;
        let said = (&rows[0]["status"], &rows[0]["status_info"]);
        let expected = (&json!("queued"), &json!("the webhook is disabled"));
        assert_eq!(said, expected, "{asked}");
    }
    let row = read(&world, "webhooks/1").await;
    assert_eq!(row["status_info"], "the webhook is disabled");
    let other = json!({"name": "p", "url": "https://example.com/"});
    let path = format!("webhook_urls/{}", world.make("webhook_urls", other).await);
    for action in ["pause", "send"] {
        let action = format!("{path}/{action}");
        let done = world.post(&action, json!({})).await;
        assert_eq!(done.status, 200, "{action}");
    }
    let row = read(&world, "webhooks/2").await;
    assert_eq!(row["status_info"], "the webhook is paused");
}
