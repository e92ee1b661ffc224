//! The v4 wire: references by only a row number, and parameters that are times, through the API.

use serde_json::{Value, json};
use tests::world::{Expect as _, World};

async fn keys(world: &World, path: &str) -> Vec<Value> {
    let answer = world.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    let rows = answer.json();
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["$key"].clone()).collect()
}

/// Creates two webhooks with a task each; returns the keys of the tasks.
async fn two_tasks(world: &World) -> [(i64, i64); 2] {
    let mut made = [(0, 0); 2];
    for (at, made) in made.iter_mut().enumerate() {
        let hook = json!({"name": format!("w{at}"), "url": "https://example.com/"});
        let hook = world.make("webhook_urls", hook).await;
        let task = json!({"name": format!("t{at}"), "owner": hook});
        *made = (hook, world.make("tasks", task).await);
    }
    made
}

/// WIRE 1: in a request a reference may come as an integer or as a string of digits.
#[tokio::test]
async fn reference_filter_accepts_row_number() {
    let world = World::start().await;
    let tasks = two_tasks(&world).await;
    let [(_, first), (hook, task)] = tasks;
    for owner in [
        format!("{hook}"),
        format!("'{hook}'"),
        format!("'webhook_urls/{hook}'"),
    ] {
        let path = |op: &str| format!("tasks?fields=$key&filter=owner%20{op}%20{owner}");
        assert_eq!(keys(&world, &path("eq")).await, [task], "{owner}");
        assert_eq!(keys(&world, &path("ne")).await, [first], "{owner}");
    }
    assert_eq!(keys(&world, "tasks?filter=creator%20eq%201").await.len(), 2);
    assert_eq!(
        keys(&world, "webhook_urls?filter=owner%20eq%201")
            .await
            .len(),
        2
    );
}

/// With an unknown type, the error is about the type and not about the owner.
#[tokio::test]
async fn event_of_unknown_type_reports_type_error() {
    let world = World::start().await;
    let [(_, task), _] = two_tasks(&world).await;
    for owner in [json!("vms/3"), json!(3), Value::Null] {
        let event = json!({"task": task, "table": "vm", "event": "poweron", "owner": owner});
        let refused = world.post("task_events", event).await;
        assert_eq!(refused.status, 422, "{owner}");
        let told = refused.json()["err"].as_str().unwrap().to_owned();
        assert!(
            told.ends_with("'table' - 'is not a known event type'"),
            "{owner}: {told}"
        );
    }
}

/// An event's owner is an object of its type.
#[tokio::test]
async fn event_owner_accepts_a_row_number() {
    let world = World::start().await;
    let [(_, task), _] = two_tasks(&world).await;
    let event =
        |owner: Value| json!({"task": task, "table": "vms", "event": "poweron", "owner": owner});
    let mut made = Vec::new();
    for owner in [json!(3), json!("3"), json!("vms/3"), json!(8)] {
        made.push(world.make("task_events", event(owner)).await);
    }
    for owner in ["3", "'3'", "'vms/3'"] {
        let path = format!("task_events?filter=owner%20eq%20{owner}");
        assert_eq!(keys(&world, &path).await, made[..3], "{owner}");
    }
    let path = format!("task_events/{}", made[0]);
    let moved = world.put(&path, json!({"owner": 8})).await;
    assert_eq!(
        (moved.status, &moved.json()["owner"]),
        (200, &json!("vms/8"))
    );
    world.post("task_events", event(json!(0))).await.expect(422);
}

/// An impossible time is refused: otherwise it would mean the beginning, and all would be sent
/// again.
#[tokio::test]
async fn replay_from_impossible_time_is_refused() {
    let world = World::start().await;
    let [(hook, _), _] = two_tasks(&world).await;
    let path = format!("webhook_urls/{hook}/replay_failed");
    for field in ["from", "before"] {
        for no_time in [json!(1_790_000_000_000_000_i64), json!(i64::MAX), json!(-1)] {
            let params = json!({ field: no_time });
            let answer = world.post(&path, params).await;
            assert_eq!(answer.status, 422, "{field}: {}", answer.body);
            assert!(
                answer.body.contains(&format!("'{field}'")),
                "{}",
                answer.body
            );
        }
        let answer = world.post(&path, json!({ field: 1_790_000_000 })).await;
        assert_eq!(answer.json(), json!({"replayed": 0}));
    }
}
