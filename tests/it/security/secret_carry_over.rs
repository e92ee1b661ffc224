//! Secrets that an editor does not get by editing: those that a webhook keeps, and keys beyond the
//! one in use.

use apikey_core::{KeyDraft, KeyEdit, KeyId, OwnerId};
use gatepost_keys::KeyError;
use serde_json::{Value, json};
use tests::world::{Expect as _, HERE, World};

const HOOK: &str = "webhook_urls/1";

/// Creates a webhook with every kind of secret.
async fn hook(world: &World) {
    let row = json!({
        "name": "w", "url": "https://example.com/in", "headers": "X-Route:a\nX-Token:t0ken-s3cret\n",
        "authorization_type": "bearer", "authorization_value": "bearer-s3cret",
        "signing_secrets": "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    });
    world.make("webhook_urls", row).await;
}

#[tokio::test]
async fn webhook_secrets_do_not_follow_to_another_url() {
    let world = World::start().await;
    hook(&world).await;
    let put = async |row: Value| world.put(HOOK, row).await;
    let moved = "https://evil.example/";
    let token = json!({"url": moved, "authorization_value": "bearer-s3cret"});
    let headers = json!({"url": moved, "authorization_type": "none", "headers": ""});
    for (row, field, others) in [
        (
            json!({"url": moved}),
            "authorization_value",
            "headers and signing_secrets",
        ),
        (
            json!({"url": "http://example.com/in"}),
            "authorization_value",
            "headers",
        ),
        (
            json!({"url": "https://example.com:8443/in"}),
            "authorization_value",
            "headers",
        ),
        (
            json!({"url": "https://example.com/other"}),
            "authorization_value",
            "headers",
        ),
        (
            json!({"url": "https://example.com/in?user=2"}),
            "authorization_value",
            "headers",
        ),
        (
            json!({"allow_insecure": true}),
            "authorization_value",
            "headers",
        ),
        (token, "headers", "signing_secrets"),
        (headers, "signing_secrets", "sent again or cleared"),
    ] {
        let answer = put(row.clone()).await;
        assert_eq!(answer.status, 422, "{row}: {}", answer.body);
        assert!(
            answer.body.contains(&format!("'{field}'")),
            "{row}: {}",
            answer.body
        );
        assert!(answer.body.contains(others), "{row}: {}", answer.body);
        assert!(!answer.body.contains("s3cret"), "{row}: {}", answer.body);
    }
    let row = world.get("webhook_urls/1?fields=all").await;
    assert_eq!(row.json()["url"], "https://example.com/in");
    assert!(
        !row.body.contains("whsec") && !row.body.contains("signing"),
        "{}",
        row.body
    );
    for row in [
        json!({"url": "https://example.com:443/in", "timeout": 9}),
        json!({"url": moved, "authorization_value": "bearer-s3cret", "headers": "X-Token:t0ken-s3cret\n", "signing_secrets": ""}),
        json!({"url": "https://other.example/", "authorization_type": "none", "headers": ""}),
    ] {
        let answer = put(row.clone()).await;
        assert_eq!(answer.status, 200, "{row}: {}", answer.body);
    }
}

#[tokio::test]
async fn a_key_does_not_make_itself_permanent() {
    let world = World::start().await;
    let end = world.now() + 86_400;
    let body = json!({"name": "day", "expires": end, "ip_allow_list": "127.0.0.1"});
    let (day, id) = world.make_key(body).await;
    let (itself, new) = (format!("user_api_keys/{id}"), "user_api_keys");
    for (method, path, row, field) in [
        ("PUT", itself.as_str(), json!({"expires": 0}), "expires"),
        ("PUT", &itself, json!({"expires": end + 1}), "expires"),
        (
            "PUT",
            &itself,
            json!({"ip_allow_list": ""}),
            "ip_allow_list",
        ),
        (
            "PUT",
            &itself,
            json!({"ip_allow_list": "127.0.0.0/8"}),
            "ip_allow_list",
        ),
        (
            "POST",
            new,
            json!({"user": 1, "name": "n", "ip_allow_list": "127.0.0.1"}),
            "expires",
        ),
        (
            "POST",
            new,
            json!({"user": 1, "name": "n", "expires": end}),
            "ip_allow_list",
        ),
        (
            "POST",
            new,
            json!({"user": 3, "name": "n", "expires": end}),
            "ip_allow_list",
        ),
    ] {
        let answer = world
            .call(&day, HERE, method, path, Some(row.clone()))
            .await;
        assert_eq!(answer.status, 422, "{row}: {}", answer.body);
        assert!(
            answer.body.contains(&format!("'{field}'")),
            "{row}: {}",
            answer.body
        );
    }
    for (method, path, row) in [
        (
            "PUT",
            itself.as_str(),
            json!({"description": "mine", "expires": end}),
        ),
        (
            "POST",
            new,
            json!({"user": 1, "name": "n", "expires": end, "ip_allow_list": "127.0.0.1"}),
        ),
    ] {
        let answer = world
            .call(&day, HERE, method, path, Some(row.clone()))
            .await;
        assert!(
            [200, 201].contains(&answer.status),
            "{row}: {}",
            answer.body
        );
    }
    // A key without bounds is not restricted.
    world
        .put(&itself, json!({"expires": 0, "ip_allow_list": ""}))
        .await
        .expect(200);
}

/// A caller that was authenticated a moment ago may be at work for a long time.
#[tokio::test]
async fn key_disabled_or_deleted_midrequest_creates_no_key() {
    let world = World::start().await;
    for end in [Some(json!({"enabled": false})), None] {
        let (key, id) = world.make_key(json!({"name": "old"})).await;
        let header = format!("Bearer {key}");
        let caller = world.keys.authenticate([header.as_bytes()], HERE).await;
        let caller = caller.unwrap();
        let path = format!("user_api_keys/{id}");
        let method = if end.is_some() { "PUT" } else { "DELETE" };
        world.api(method, &path, end).await.expect(200);
        let draft = KeyDraft::new(OwnerId(1), "new".parse().unwrap());
        let made = world.keys.create(&caller, draft).await;
        assert!(
            matches!(made, Err(KeyError::Forbidden)),
            "{method}: {made:?}"
        );
        let enabled = KeyEdit::switch(true);
        let itself = world.keys.edit(&caller, KeyId(id), &enabled).await;
        assert!(itself.is_err(), "{method}: {itself:?}");
        world.delete(&path).await;
    }
}
