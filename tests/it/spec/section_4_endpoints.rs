//! SPEC 4: endpoints.

use serde_json::json;
use tests::world::World;

/// SPEC 4: `GET {base_url}/api/v4/system` with a bearer key.
#[tokio::test]
async fn spec_4_get_system() {
    let world = World::start().await;
    let answer = world.get("system").await;
    assert_eq!(answer.status, 200);
    assert!(
        answer.json()[0]["yb_version"]
            .as_str()
            .unwrap()
            .starts_with("26.")
    );
}

/// SPEC 4 rule 1: paths are under the prefix /api/v4.
#[tokio::test]
async fn spec_4_rule_1_the_prefix() {
    let world = World::start().await;
    for path in ["/system", "/api/system", "/api/v3/system", "/v4/system"] {
        let answer = examples::client::call(
            world.server,
            tests::world::HERE,
            "GET",
            path,
            Some(&world.admin),
            None,
        )
        .await
        .unwrap();
        assert_eq!(answer.status, 404, "{path}");
    }
}

/// SPEC 4 rule 2: keys, webhooks, tasks and events are created, listed, read, updated and deleted
/// over the API.
#[tokio::test]
async fn spec_4_rule_2_every_record_has_its_operations() {
    let world = World::start().await;
    let webhook = world
        .make(
            "webhook_urls",
            json!({"name": "w", "url": "https://example.com/"}),
        )
        .await;
    let task = world
        .make(
            "tasks",
            json!({"name": "t", "owner": format!("webhook_urls/{webhook}")}),
        )
        .await;
    let event = world
        .make(
            "task_events",
            json!({"task": task, "table": "alarms", "event": "raised"}),
        )
        .await;
    let (_, key) = world.make_key(json!({"name": "k"})).await;
    for (table, row, change) in [
        ("task_events", event, json!({"enabled": false})),
        ("tasks", task, json!({"description": "changed"})),
        ("webhook_urls", webhook, json!({"timeout": 30})),
        ("user_api_keys", key, json!({"description": "changed"})),
    ] {
        let path = format!("{table}/{row}");
        let listed = world
            .get(&format!("{table}?filter=$key%20eq%20{row}"))
            .await
            .json();
        assert_eq!(listed[0]["$key"], row, "{table}");
        let updated = world.put(&path, change.clone()).await;
        assert_eq!(updated.status, 200, "{}", updated.body);
        let read = world.get(&path).await.json();
        for (column, value) in change.as_object().unwrap() {
            assert_eq!(
                (&read[column], &updated.json()[column]),
                (value, value),
                "{table}"
            );
        }
        assert_eq!(world.delete(&path).await.status, 200, "{table}");
        assert_eq!(world.get(&path).await.status, 404, "{table}");
    }
}

/// SPEC 9 rule 1: paths carry the version segment v4; SPEC 9 rule 2: the platform release is 26.0
/// or later.
#[tokio::test]
async fn spec_9_versions() {
    let world = World::start().await;
    let answer = examples::client::call(
        world.server,
        tests::world::HERE,
        "GET",
        "/version.json",
        None,
        None,
    )
    .await
    .unwrap();
    assert_eq!(answer.status, 200);
    let version = answer.json()["version"].as_str().unwrap().to_owned();
    assert!(
        version.split('.').next().unwrap().parse::<u32>().unwrap() >= 26,
        "{version}"
    );
}
