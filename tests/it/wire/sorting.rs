//! The v4 wire: `sort` by more than one column, and by `created` if it does not rise with the row
//! numbers.

use apikey_core::{KeyDraft, OwnerId};
use serde_json::{Value, json};
use tests::world::World;

async fn names(world: &World, path: &str) -> Vec<Value> {
    let answer = world.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    let rows = answer.json();
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["name"].clone()).collect()
}

/// An imported key keeps the time of its creation.
#[tokio::test]
async fn imported_keys_are_as_old_as_they_say() {
    let world = World::start().await;
    let draft = KeyDraft::new(OwnerId(1), "old".parse().unwrap());
    let created = "2024-05-01T00:00:00Z".parse().unwrap();
    let masked = "acme_0f4a…".parse().unwrap();
    let by = world.user(1);
    let imported = world.keys.import(&by, draft, [7; 32], masked, created);
    imported.await.unwrap();
    world.key_of(1, "new").await;
    for (sort, expected) in [
        ("created", ["old", "admin", "new"]),
        // Within one second, the newest comes first.
        ("-created", ["new", "admin", "old"]),
        ("-created,name", ["admin", "new", "old"]),
        ("$key,name", ["admin", "old", "new"]),
    ] {
        let path = format!("user_api_keys?fields=name&sort={sort}");
        assert_eq!(names(&world, &path).await, expected, "{sort}");
        let first = names(&world, &format!("{path}&limit=1&offset=1")).await;
        assert_eq!(first, expected[1..2], "{sort}");
    }
}

/// The sort key after `created` decides between rows of one second.
#[tokio::test]
async fn each_sort_key_counts() {
    let world = World::start().await;
    for name in ["c", "a", "b"] {
        let row = json!({"name": name, "url": "https://example.com/"});
        world.make("webhook_urls", row).await;
    }
    let rows = world.get("webhook_urls?fields=$key,name,created");
    let mut rows: Vec<Value> = serde_json::from_str(&rows.await.body).unwrap();
    let created = |row: &Value| row["created"].as_i64().unwrap();
    rows.sort_by_key(|row| (created(row), row["name"].to_string()));
    for (sort, descending) in [("created,name,$key", false), ("-created,-name", true)] {
        if descending {
            rows.reverse();
        }
        let expected: Vec<_> = rows.iter().map(|row| row["name"].clone()).collect();
        let path = format!("webhook_urls?fields=name&sort={sort}");
        assert_eq!(names(&world, &path).await, expected, "{sort}");
    }
    assert_eq!(
        names(&world, "webhook_urls?sort=-created").await,
        ["b", "a", "c"]
    );
}
