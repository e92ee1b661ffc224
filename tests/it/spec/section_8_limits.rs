//! SPEC 8: limits; SPEC 7: what is refused, and with which words.

use std::time::Duration;

use gatepost_storage::Clock;
use serde_json::json;
use tests::world::World;

/// SPEC 8 row 1 and SPEC 7 row 6: a Timeout below 3 is invalid; the value must be 3 or greater.
#[tokio::test]
async fn spec_8_timeout_is_at_least_3() {
    let world = World::start().await;
    let answer = world
        .api(
            "POST",
            "webhook_urls",
            Some(json!({"name": "w", "url": "https://example.com/", "timeout": 2})),
        )
        .await;
    assert_eq!(
        (answer.status, answer.json()),
        (
            422,
            json!({"err": "Validation error on field: 'timeout' - 'must be 3 or greater'"})
        )
    );
    world
        .make(
            "webhook_urls",
            json!({"name": "w", "url": "https://example.com/", "timeout": 3}),
        )
        .await;
}

/// SPEC 8 row 2: a key is valid until its date, or unbounded.
#[tokio::test]
async fn spec_8_key_validity() {
    let world = World::start().await;
    let date = world.clock.now().timestamp() + 90 * 24 * 3600;
    let (bounded, _) = world
        .make_key(json!({"name": "bounded", "expires_type": "date", "expires": date}))
        .await;
    let (unbounded, _) = world.make_key(json!({"name": "unbounded"})).await;
    world.clock.advance(Duration::from_secs(90 * 24 * 3600));
    assert_eq!(
        (world.probe(&bounded).await, world.probe(&unbounded).await),
        (401, 200)
    );
}

/// SPEC 7 row 5: a lost key string cannot be recovered.
#[tokio::test]
async fn spec_7_lost_key_is_not_recovered() {
    let world = World::start().await;
    let (key, row) = world.make_key(json!({"name": "lost"})).await;
    let secret = &key[key.len() - 39..];
    for path in [
        format!("user_api_keys/{row}"),
        "user_api_keys?fields=all".into(),
        format!("user_api_keys/{row}?fields=key,private_key,token,digest,all"),
    ] {
        let answer = world.api("GET", &path, None).await;
        assert_eq!(answer.status, 200);
        assert!(!answer.body.contains(secret) && !answer.body.contains(&key));
    }
}
