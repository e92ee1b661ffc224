//! A disabled key over the wire: it acts like a deleted one, and is valid again when it is enabled.

use serde_json::json;
use tests::world::{Expect as _, HERE, World};

#[tokio::test]
async fn disabled_key_answers_like_deleted_until_enabled() {
    let world = World::start().await;
    let (key, id) = world.make_key(json!({"user": 3, "name": "k"})).await;
    let (gone, gone_id) = world.make_key(json!({"user": 3, "name": "gone"})).await;
    for key in [&key, &gone] {
        assert_eq!(world.probe(key).await, 200);
    }
    let path = format!("user_api_keys/{id}");
    let switch = async |enabled: bool| {
        let body = Some(json!({"enabled": enabled}));
        let row = world.api("PUT", &path, body).await.json();
        assert_eq!(row["enabled"], enabled);
    };
    switch(false).await;
    let path_of_gone = format!("user_api_keys/{gone_id}");
    let deleted = world.delete(&path_of_gone).await;
    assert_eq!(deleted.status, 200);
    let of_deleted = world.call(&gone, HERE, "GET", "tasks", None).await;
    let of_disabled = world.call(&key, HERE, "GET", "tasks", None).await;
    assert_eq!(of_disabled.status, 401);
    let head = |head: &str| {
        let lines = head
            .lines()
            .filter(|line| !line.to_lowercase().starts_with("date"));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(head(&of_disabled.head), head(&of_deleted.head));
    assert_eq!(of_disabled.body, of_deleted.body);
    switch(true).await;
    assert_eq!(world.probe(&key).await, 200);
    assert_eq!(world.probe(&gone).await, 401);
}

#[tokio::test]
async fn disabled_keys_are_filtered_edited_and_deleted() {
    let world = World::start().await;
    let (_, id) = world.make_key(json!({"user": 3, "name": "off"})).await;
    world.make_key(json!({"user": 3, "name": "on"})).await;
    let path = format!("user_api_keys/{id}");
    world.put(&path, json!({"enabled": false})).await;
    let off = "user_api_keys?fields=name&filter=enabled%20eq%20false";
    assert_eq!(world.get(off).await.json(), json!([{"name": "off"}]));
    let renamed = world.put(&path, json!({"name": "off 2"})).await;
    assert_eq!(
        renamed.json()["enabled"],
        false,
        "an edit leaves it disabled"
    );
    world.delete(&path).await.expect(200);
}
