//! Reports of keys that were found in a text, over the wire.

use serde_json::{Value, json};
use tests::world::{Expect as _, HERE, World};

#[tokio::test]
async fn leaked_keys_report_identifies_keys_without_revealing_them() {
    let world = World::start().await;
    let (a, first) = world.make_key(json!({"user": 3, "name": "a"})).await;
    let (b, second) = world.make_key(json!({"user": 4, "name": "b"})).await;
    let report = async |text: &str, action: Value| {
        let mut body = json!({"text": text});
        if !action.is_null() {
            body["action"] = action;
        }
        world.post("leaked_keys", body).await
    };
    let text = format!("log: {a}\n \"{b}\" {a} \\u0041 \u{1f511}");
    let masked = |key: &str| format!("{}…", &key[..key.len() - 48]);
    for (action, done, statuses) in [
        (Value::Null, "reported", [200, 200]),
        (json!("report"), "reported", [200, 200]),
        (json!("disable"), "disabled", [401, 401]),
    ] {
        let found = report(&text, action).await.expect(200);
        let row = |id: i64, user: u128, name: &str, key: &str| json!({"$key": id, "user": user, "name": name, "masked": masked(key), "done": done});
        let rows = json!([row(first, 3, "a", &a), row(second, 4, "b", &b)]);
        assert_eq!(found.json(), rows);
        assert!(!found.body.contains(&a) && !found.body.contains(&b));
        let probed = [world.probe(&a).await, world.probe(&b).await];
        assert_eq!(probed, statuses, "{done}");
    }
    let found = report(&a, json!("delete")).await.json();
    assert_eq!(found[0]["done"], "deleted");
    assert_eq!(report(&a, json!("delete")).await.json(), json!([]));
    assert_eq!(report("none", Value::Null).await.json(), json!([]));
}

#[tokio::test]
async fn leaked_keys_report_requires_administrator_and_valid_text() {
    let world = World::start().await;
    let (key, _) = world.make_key(json!({"user": 3, "name": "a"})).await;
    let reader = json!({"user": 1, "name": "r", "read_only": true});
    let (reader, _) = world.make_key(reader).await;
    let tables = json!({"user": 1, "name": "t", "tables": "tasks"});
    let (tables, _) = world.make_key(tables).await;
    let body = json!({"text": key});
    for asker in [&key, &reader, &tables] {
        let refused = world.call(asker, HERE, "POST", "leaked_keys", Some(body.clone()));
        let refused = refused.await;
        assert_eq!(refused.status, 403);
        assert!(!refused.body.contains(&key));
    }
    for (bad, status) in [
        (json!({}), 422),
        (json!({"text": 7}), 422),
        (json!({"text": null}), 422),
        (json!({"text": ""}), 422),
        (json!({"text": key, "action": "burn"}), 422),
        (json!({"text": key, "action": key}), 422),
        (
            json!({"text": format!("{key} {}", "é".repeat(1024 * 1024 / 2))}),
            422,
        ),
        (json!({"text": "x".repeat(2 * 1024 * 1024)}), 413),
    ] {
        let refused = world.post("leaked_keys", bad).await;
        assert_eq!(refused.status, status, "{}", refused.body);
        assert!(!refused.body.contains(&key), "{}", refused.body);
    }
    world.get("leaked_keys").await.expect(405);
    assert_eq!(world.probe(&key).await, 200);
}
