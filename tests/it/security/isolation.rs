//! SPEC 1 rule 2 and SPEC 5.1 rule 2, from the other side: what a user's key cannot do with what is
//! another's. The response is always the one for a row that does not exist.

use examples::receiver::Receiver;
use serde_json::{Value, json};
use tests::world::{HERE, World};
use webhook_model::{OwnerId, WebhookId};

/// Users: 1 administers the system, 2 administers the tenant of 3, 4 is in no tenant
/// (`tests::world`).
const STRANGER: u128 = 4;

/// The records of the administrator.
struct Owned {
    webhook: i64,
    task: i64,
    event: i64,
    delivery: i64,
    key: i64,
}

async fn owned(world: &World, receiver: &Receiver) -> Owned {
    let (webhook, task) = world.task(receiver.addr, "mine", "x", false).await;
    let event = json!({"task": task, "table": "vms", "event": "poweron", "tag": 4});
    let event = world.make("task_events", event).await;
    let delivery = world.engine.send(WebhookId(webhook), None).await.unwrap();
    world.ended(delivery).await;
    let (_, key) = world.make_key(json!({"name": "mine"})).await;
    Owned {
        webhook,
        task,
        event,
        delivery: delivery.0,
        key,
    }
}

#[tokio::test]
async fn stranger_cannot_see_change_or_run_others_records() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let owned = owned(&world, &receiver).await;
    let stranger = world.key_of(STRANGER, "stranger").await;
    let call = async |method: &str, path: &str, body: Option<Value>| {
        world.call(&stranger, HERE, method, path, body).await
    };

    for table in ["webhook_urls", "tasks", "task_events", "webhooks"] {
        for query in ["", "?fields=all", "?filter=%24key%20gt%200"] {
            let listed = call("GET", &format!("{table}{query}"), None).await;
            assert_eq!(
                (listed.status, listed.body.as_str()),
                (200, "[]"),
                "{table}{query}"
            );
        }
    }
    let keys = call("GET", "user_api_keys?fields=all", None).await.json();
    assert!(
        keys.as_array()
            .unwrap()
            .iter()
            .all(|key| key["user"] == json!(OwnerId(STRANGER))),
        "{keys}"
    );

    let Owned {
        webhook,
        task,
        event,
        delivery,
        key,
    } = owned;
    let rows = [
        (
            format!("webhook_urls/{webhook}"),
            json!({"url": "http://127.0.0.1:9/"}),
        ),
        (format!("tasks/{task}"), json!({"enabled": false})),
        (format!("task_events/{event}"), json!({"enabled": false})),
        (format!("user_api_keys/{key}"), json!({"name": "yours"})),
    ];
    for (path, change) in rows {
        assert_eq!(call("GET", &path, None).await.status, 404, "{path}");
        assert_eq!(call("PUT", &path, Some(change)).await.status, 404, "{path}");
        assert_eq!(call("DELETE", &path, None).await.status, 404, "{path}");
        assert_eq!(world.get(&path).await.status, 200, "{path} is still there");
    }
    let path = format!("webhooks/{delivery}");
    assert_eq!(call("GET", &path, None).await.status, 404);
    assert_eq!(call("DELETE", &path, None).await.status, 404);

    let before = receiver.received().len();
    let actions = [
        (
            "webhook_url",
            webhook,
            ["send", "pause", "resume", "replay_failed"].as_slice(),
        ),
        ("task", task, &["execute", "disable", "enable"]),
        ("task_event", event, &["trigger"]),
        ("webhook", delivery, &["replay", "retry", "cancel"]),
    ];
    for (singular, row, names) in &actions {
        for name in *names {
            // In each of the three spellings of an action.
            let spellings = [
                ("POST", format!("{singular}s/{row}/{name}"), json!({})),
                ("PUT", format!("{singular}s/{row}?action={name}"), json!({})),
                (
                    "POST",
                    format!("{singular}_actions"),
                    json!({*singular: row, "action": name}),
                ),
            ];
            for (method, path, body) in spellings {
                let answer = call(method, &path, Some(body)).await;
                assert_eq!(
                    answer.status, 404,
                    "{method} {path} {name}: {}",
                    answer.body
                );
            }
        }
    }
    let after = world.engine.send(WebhookId(webhook), None).await.unwrap();
    world.ended(after).await;
    assert_eq!(
        receiver.received().len(),
        before + 1,
        "only what the owner sent"
    );
    // The control: for the owner the same calls reach the row, though an ended delivery cannot be
    // cancelled.
    for (singular, row, names) in &actions {
        for name in *names {
            let path = format!("{singular}_actions");
            let body = json!({*singular: row, "action": name});
            let answer = world.post(&path, body).await;
            assert!(
                [200, 409].contains(&answer.status),
                "{path} {name}: {}",
                answer.body
            );
        }
    }
}

#[tokio::test]
async fn a_stranger_builds_nothing_on_what_is_anothers() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let owned = owned(&world, &receiver).await;
    let stranger = world.key_of(STRANGER, "stranger").await;
    let call = async |method: &str, path: &str, body: Value| {
        world.call(&stranger, HERE, method, path, Some(body)).await
    };

    // A task that would send another user's webhook: with its credentials, to its target.
    let foreign = json!({"name": "t", "owner": format!("webhook_urls/{}", owned.webhook)});
    let missing = json!({"name": "t", "owner": "webhook_urls/999"});
    let (foreign, missing) = (
        call("POST", "tasks", foreign).await,
        call("POST", "tasks", missing).await,
    );
    assert_eq!(
        (foreign.status, &foreign.body),
        (missing.status, &missing.body),
        "not even its existence is revealed"
    );
    assert!((400..500).contains(&foreign.status), "{}", foreign.status);
    // An event that would run another user's task.
    let event = |task: i64| json!({"task": task, "table": "vms", "event": "poweron", "tag": 4});
    let (foreign, missing) = (
        call("POST", "task_events", event(owned.task)).await,
        call("POST", "task_events", event(999)).await,
    );
    assert_eq!(
        (foreign.status, &foreign.body),
        (missing.status, &missing.body)
    );
    assert!((400..500).contains(&foreign.status), "{}", foreign.status);
    // A key with another user's permissions.
    for user in [1, 2, 3] {
        let made = call("POST", "user_api_keys", json!({"user": user, "name": "k"})).await;
        assert!(
            [403, 404, 422].contains(&made.status),
            "{user}: {}",
            made.body
        );
    }

    // The same by an edit of one of the user's records.
    let own = call(
        "POST",
        "webhook_urls",
        json!({"name": "own", "url": "https://example.com/"}),
    )
    .await;
    let own = own.json()["$row"].as_i64().unwrap();
    let task = call(
        "POST",
        "tasks",
        json!({"name": "t", "owner": format!("webhook_urls/{own}")}),
    )
    .await;
    let task = task.json()["$row"].as_i64().unwrap();
    let made = call("POST", "task_events", event(task)).await.json()["$row"]
        .as_i64()
        .unwrap();
    let steal = json!({"owner": format!("webhook_urls/{}", owned.webhook)});
    assert_ne!(
        call("PUT", &format!("tasks/{task}"), steal).await.status,
        200
    );
    assert_ne!(
        call(
            "PUT",
            &format!("task_events/{made}"),
            json!({"task": owned.task})
        )
        .await
        .status,
        200
    );
}

#[tokio::test]
async fn tenant_administrator_manages_only_own_tenant() {
    let world = World::start().await;
    let admin = world.key_of(2, "tenant admin").await;
    let member = world.key_of(3, "member").await;
    let stranger = world.key_of(STRANGER, "stranger").await;
    let hook = |name: &str| json!({"name": name, "url": "https://example.com/"});
    let row = async |key: &str, name: &str| {
        let made = world
            .call(key, HERE, "POST", "webhook_urls", Some(hook(name)))
            .await;
        made.json()["$row"].as_i64().unwrap()
    };
    let (members, strangers, systems) = (
        row(&member, "a").await,
        row(&stranger, "b").await,
        row(&world.admin, "c").await,
    );
    let status = async |key: &str, id: i64| {
        world
            .call(key, HERE, "GET", &format!("webhook_urls/{id}"), None)
            .await
            .status
    };
    assert_eq!(status(&admin, members).await, 200, "the tenant's");
    assert_eq!(status(&admin, strangers).await, 404, "outside of it");
    assert_eq!(status(&admin, systems).await, 404, "the system's");
    assert_eq!(status(&member, members).await, 200, "one's own");
    assert_eq!(
        status(&world.admin, strangers).await,
        200,
        "a system administrator's powers"
    );
    let made = world
        .call(
            &admin,
            HERE,
            "POST",
            "user_api_keys",
            Some(json!({"user": 1, "name": "k"})),
        )
        .await;
    assert_ne!(
        made.status, 201,
        "a key with the powers of the system: {}",
        made.body
    );
    assert_eq!(made.json()["key"], Value::Null);
}
