//! A limit of requests over the wire: the column, the headers, 429, and the answer of `whoami`.

use std::time::Duration;

use examples::client::Response;
use serde_json::{Value, json};
use tests::world::{HERE, World};

async fn ask(world: &World, key: &str, path: &str) -> Response {
    world.call(key, HERE, "GET", path, None).await
}

#[tokio::test]
async fn responses_show_remaining_requests_and_retry_time() {
    let world = World::start().await;
    let new = json!({"user": 3, "name": "k", "requests_per_minute": 3});
    let (key, _) = world.make_key(new).await;
    let (free, _) = world.make_key(json!({"user": 3, "name": "free"})).await;
    let policy = r#""key";q=3;w=60"#;
    // The result of a request makes no difference.
    for (path, status, left) in [
        ("tasks", 200, r#""key";r=2;t=20"#),
        ("tasks/77", 404, r#""key";r=1;t=40"#),
        ("none", 404, r#""key";r=0;t=60"#),
        ("tasks", 429, r#""key";r=0;t=20"#),
        ("tasks", 429, r#""key";r=0;t=20"#),
    ] {
        let got = ask(&world, &key, path).await;
        assert_eq!(got.status, status, "{path}: {}", got.body);
        assert_eq!(got.header("ratelimit-policy"), Some(policy), "{path}");
        assert_eq!(got.header("ratelimit"), Some(left), "{path}");
        let retry = (status == 429).then_some("20");
        assert_eq!(got.header("retry-after"), retry, "{path}");
    }
    let over = ask(&world, &key, "tasks").await;
    assert_eq!(over.json(), json!({"err": "Too many requests"}));
    assert_eq!(over.header("cache-control"), Some("no-store"));
    world.clock.advance(Duration::from_secs(20));
    assert_eq!(ask(&world, &key, "tasks").await.status, 200);
    assert_eq!(ask(&world, &key, "tasks").await.status, 429);
    let other = ask(&world, &free, "tasks").await;
    assert_eq!(other.status, 200);
    assert_eq!(other.header("ratelimit"), None, "nothing limits it");
}

#[tokio::test]
async fn request_limit_is_set_changed_listed_and_removed() {
    let world = World::start().await;
    let new = json!({"user": 3, "name": "k", "requests_per_minute": 60});
    let (key, id) = world.make_key(new).await;
    let path = format!("user_api_keys/{id}");
    let put = async |body: Value| world.put(&path, body).await;
    let of = |row: &Value| row["requests_per_minute"].clone();
    let row = world.get(&path).await.json();
    assert_eq!(of(&row), 60);
    assert_eq!(put(row.clone()).await.json(), row, "sent back whole");
    assert_eq!(of(&put(json!({"name": "n"})).await.json()), 60);
    let who = ask(&world, &key, "whoami").await.json();
    assert_eq!(of(&who), 60);
    assert_eq!(who["user_requests_per_minute"], 0);
    let listed = "user_api_keys?fields=name&filter=requests_per_minute%20eq%2060";
    let listed = world.get(listed).await.json();
    assert_eq!(listed, json!([{"name": "n"}]));
    for bad in [json!(-1), json!(1_000_001), json!(1.5), json!("many")] {
        let refused = put(json!({"requests_per_minute": bad})).await;
        assert_eq!(refused.status, 422, "{bad}");
        assert!(
            refused.body.contains("'requests_per_minute'"),
            "{}",
            refused.body
        );
    }
    assert_eq!(of(&put(json!({"requests_per_minute": 0})).await.json()), 0);
    let who = ask(&world, &key, "whoami").await;
    assert_eq!(of(&who.json()), 0);
    assert_eq!(who.header("ratelimit"), None);
}

#[tokio::test]
async fn limited_key_cannot_create_key_with_higher_limit() {
    let world = World::start().await;
    let new = json!({"user": 3, "name": "k", "requests_per_minute": 60});
    let (key, _) = world.make_key(new).await;
    let make = async |name: &str, requests: i64| {
        let new = json!({"user": 3, "name": name, "requests_per_minute": requests});
        world
            .call(&key, HERE, "POST", "user_api_keys", Some(new))
            .await
    };
    for requests in [0, 61] {
        let refused = make("more", requests).await;
        assert_eq!(refused.status, 422);
        let rule = "must be set, and not be more than that of the API key that is used";
        let words = format!("Validation error on field: 'requests_per_minute' - '{rule}'");
        assert_eq!(refused.json(), json!({"err": words}));
    }
    assert_eq!(make("as many", 60).await.status, 201);
}
