//! A key is rolled over the wire, in the three spellings of an action.

use std::time::Duration;

use serde_json::{Value, json};
use tests::world::{Expect as _, HERE, World};

const DAY: u64 = 24 * 60 * 60;

#[tokio::test]
async fn roll_action_spellings_return_new_key_once() {
    let world = World::start().await;
    for (name, spelling) in ["put", "path", "endpoint"].into_iter().zip(0..) {
        let new = json!({"user": 3, "name": name, "read_only": true, "requests_per_minute": 600});
        let (old, id) = world.make_key(new).await;
        let (method, path, body) = match spelling {
            0 => ("PUT", format!("user_api_keys/{id}?action=roll"), json!({})),
            1 => (
                "POST",
                format!("user_api_keys/{id}/roll"),
                json!({"overlap": DAY}),
            ),
            _ => (
                "POST",
                "user_api_key_actions".to_owned(),
                json!({"user_api_key": id, "action": "roll", "params": {"overlap": DAY.to_string()}}),
            ),
        };
        let done = world.api(method, &path, Some(body)).await;
        assert_eq!(done.status, 200, "{name}: {}", done.body);
        let receipt = done.json();
        let key = receipt["key"].as_str().unwrap().to_owned();
        assert_eq!(receipt["response"]["private_key"], key.as_str());
        assert_eq!(done.header("cache-control"), Some("no-store"));
        for key in [&old, &key] {
            assert_eq!(world.probe(key).await, 200, "{name}");
        }
        let row = |id: Value| {
            let path = format!("user_api_keys/{id}");
            let world = &world;
            async move { world.get(&path).await.json() }
        };
        let (was, is) = (row(json!(id)).await, row(receipt["$row"].clone()).await);
        assert_eq!(
            (&was["rolled_to"], &is["rolled_from"]),
            (&is["$key"], &was["$key"])
        );
        assert_eq!(
            (&was["rolled_from"], &is["rolled_to"]),
            (&json!(0), &json!(0))
        );
        assert_eq!(is["name"], format!("{name} (2)"));
        for same in [
            "user",
            "read_only",
            "requests_per_minute",
            "ip_allow_list",
            "tables",
        ] {
            assert_eq!(was[same], is[same], "{same}");
        }
        assert_eq!(was["expires"], world.now() + 86_400);
        assert_eq!(is["expires"], 0);
        assert!(!format!("{was}{is}").contains(&key), "shown once");
    }
}

#[tokio::test]
async fn rolled_key_ends_after_overlap_and_rolls_once() {
    let world = World::start().await;
    let (old, id) = world.make_key(json!({"user": 3, "name": "k"})).await;
    let path = format!("user_api_keys/{id}/roll");
    let roll = async |body: Value| world.post(&path, body).await;
    for bad in [json!(-1), json!(2_592_001), json!("long"), json!(0.5)] {
        let refused = roll(json!({"overlap": bad})).await;
        assert_eq!(refused.status, 422, "{bad}");
        assert!(refused.body.contains("'overlap'"), "{}", refused.body);
    }
    let new = roll(json!({"overlap": 60})).await.json();
    let again = roll(json!({})).await;
    assert_eq!(again.status, 409);
    let words = "The key was rolled already; roll the key that replaced it";
    assert_eq!(again.json(), json!({"err": words}));
    assert_eq!(world.probe(&old).await, 200);
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(world.probe(&old).await, 401);
    assert_eq!(world.probe(new["key"].as_str().unwrap()).await, 200);
}

#[tokio::test]
async fn roll_respects_read_only_narrow_and_foreign_keys() {
    let world = World::start().await;
    let expires = world.now() + 1_000;
    let new = json!({"user": 3, "name": "n", "tables": "user_api_keys", "expires": expires});
    let (narrow, id) = world.make_key(new).await;
    let reader = json!({"user": 3, "name": "r", "read_only": true});
    let (reader, _) = world.make_key(reader).await;
    let (_, wide) = world.make_key(json!({"user": 3, "name": "w"})).await;
    let (stranger, _) = world.make_key(json!({"user": 4, "name": "s"})).await;
    let roll = async |key: &str, id: i64| {
        let path = format!("user_api_keys/{id}/roll");
        world.call(key, HERE, "POST", &path, Some(json!({}))).await
    };
    assert_eq!(roll(&reader, id).await.status, 403);
    assert_eq!(roll(&stranger, id).await.status, 404);
    let refused = roll(&narrow, wide).await.expect(422);
    assert!(refused.body.contains("'expires'"), "{}", refused.body);
    let done = roll(&narrow, id).await.expect(200);
    let path = format!("user_api_keys/{}", done.json()["$row"]);
    let row = world.get(&path).await.json();
    assert_eq!(
        (&row["expires"], &row["tables"]),
        (&json!(expires), &json!("user_api_keys"))
    );
}
