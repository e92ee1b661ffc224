//! The quotas of a user: the list of limits, and the responses at each of them.

use std::sync::Arc;

use gatepost_ids::{OwnerId, Quota};
use serde_json::{Value, json};
use tests::world::{Expect as _, HERE, World};

/// Users are those of `tests::world`.
const MEMBER: u128 = 3;

fn small() -> Quota {
    Quota::default()
        .with_keys(2)
        .with_webhooks(2)
        .with_tasks(2)
        .with_events(2)
        .with_runs_per_minute(3)
        .with_key_changes_per_minute(4)
}

async fn world() -> (World, String) {
    let world = World::with_quotas(Arc::new(small())).await;
    let member = world.key_of(MEMBER, "member").await;
    (world, member)
}

fn of(limits: &Value, name: &str) -> (i64, Value) {
    let mut rows = limits.as_array().unwrap().iter();
    let row = rows.find(|row| row["name"] == name).unwrap();
    (row["used"].as_i64().unwrap(), row["limit"].clone())
}

#[tokio::test]
async fn limits_show_usage_and_maximum() {
    let (world, member) = world().await;
    let call = async |method: &str, path: &str, body: Option<Value>| {
        world.call(&member, HERE, method, path, body).await
    };
    let before = call("GET", "limits", None).await.json();
    assert_eq!(of(&before, "keys"), (1, json!(2)));
    assert_eq!(of(&before, "webhooks"), (0, json!(2)));
    assert_eq!(of(&before, "record_bytes").0, 0);
    let hook = json!({"name": "a", "url": "https://example.com/"});
    assert_eq!(call("POST", "webhook_urls", Some(hook)).await.status, 201);
    let after = call("GET", "limits", None).await.json();
    assert_eq!(of(&after, "webhooks"), (1, json!(2)));
    assert!(of(&after, "record_bytes").0 > 0, "{after}");
    for name in ["tasks", "events", "waiting", "waiting_bytes", "log_bytes"] {
        assert_eq!(of(&after, name).0, 0, "{name}");
    }
    let names = call("GET", "limits?fields=name,limit", None).await.json();
    assert_eq!(names[0].as_object().unwrap().len(), 2, "{names}");
}

#[tokio::test]
async fn limits_are_visible_only_to_owner_and_administrators() {
    let (world, member) = world().await;
    let (tina, vera) = (world.key_of(2, "t").await, world.key_of(4, "v").await);
    let status = async |key: &str, user: u128| {
        let path = format!("limits?user={user}");
        let answer = world.call(key, HERE, "GET", &path, None).await;
        if answer.status == 200 {
            let rows = answer.json();
            let rows = rows.as_array().unwrap().iter();
            assert!(rows.clone().count() >= 8);
            assert!(
                rows.into_iter()
                    .all(|row| row["user"] == json!(OwnerId(user)))
            );
        }
        answer.status
    };
    assert_eq!(status(&world.admin, 3).await, 200);
    assert_eq!(status(&tina, 3).await, 200);
    assert_eq!(status(&member, 3).await, 200);
    for (key, user) in [
        (&tina, 4),
        (&tina, 1),
        (&member, 2),
        (&vera, 3),
        (&vera, 99),
    ] {
        assert!([403, 404].contains(&status(key, user).await), "{user}");
    }
    for wrong in ["0", "-1", "x", "", "2&user=3"] {
        let path = format!("limits?user={wrong}");
        assert_eq!(world.get(&path).await.status, 422, "{wrong}");
    }
}

/// The response names the limit; a deletion frees its quota immediately.
#[tokio::test]
async fn a_row_too_many_is_refused_in_words() {
    let (world, member) = world().await;
    let call = async |method: &str, path: &str, body: Option<Value>| {
        world.call(&member, HERE, method, path, body).await
    };
    let rows = [
        (
            "webhook_urls",
            "webhooks",
            json!({"name": "NAME", "url": "https://example.com/"}),
        ),
        (
            "tasks",
            "tasks",
            json!({"name": "NAME", "owner": "webhook_urls/1"}),
        ),
        (
            "task_events",
            "events",
            json!({"task": 1, "table": "vms", "event": "poweron", "tag": 4}),
        ),
    ];
    for (table, what, row) in rows {
        let make = async |name: &str| {
            let row = row.to_string().replace("NAME", name);
            call("POST", table, Some(serde_json::from_str(&row).unwrap())).await
        };
        assert_eq!(make("a").await.status, 201, "{table}");
        let second = make("b").await.json()["$row"].as_i64().unwrap();
        let refused = make("c").await;
        assert_eq!(
            (refused.status, refused.json()),
            (403, json!({"err": format!("You have 2 of 2 {what}")}))
        );
        let gone = call("DELETE", &format!("{table}/{second}"), None).await;
        assert_eq!(gone.status, 200);
        assert_eq!(make("d").await.status, 201, "there is room again");
    }
    // The one key that logs in, and one more.
    let key = |name: &str| Some(json!({"user": MEMBER, "name": name}));
    assert_eq!(call("POST", "user_api_keys", key("b")).await.status, 201);
    let refused = call("POST", "user_api_keys", key("c")).await;
    assert_eq!(
        (refused.status, refused.json()),
        (403, json!({"err": "You have 2 of 2 keys"}))
    );
    // The records of others do not count.
    let hook = json!({"name": "other", "url": "https://example.com/"});
    world.post("webhook_urls", hook).await.expect(201);
}

/// An action that is refused by a rate limit may be repeated after the time in the response.
#[tokio::test]
async fn rate_limited_runs_and_changes_send_retry_after() {
    let (world, member) = world().await;
    let call = async |method: &str, path: &str, body: Option<Value>| {
        world.call(&member, HERE, method, path, body).await
    };
    let hook = json!({"name": "a", "url": "http://10.0.0.1/", "retries": 0});
    call("POST", "webhook_urls", Some(hook)).await;
    for _ in 0..3 {
        let sent = call("POST", "webhook_urls/1/send", Some(json!({}))).await;
        assert_eq!(sent.status, 200, "{}", sent.body);
    }
    let refused = call("POST", "webhook_urls/1/send", Some(json!({}))).await;
    assert_eq!(refused.status, 429, "{}", refused.body);
    let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    let mut changes = 0;
    let refused = loop {
        let change = json!({"description": format!("{changes}")});
        let changed = call("PUT", "user_api_keys/2", Some(change)).await;
        if changed.status != 200 {
            break changed;
        }
        changes += 1;
        assert!(changes < 10);
    };
    assert_eq!(refused.status, 429, "{}", refused.body);
    assert!(refused.header("retry-after").is_some());
}
