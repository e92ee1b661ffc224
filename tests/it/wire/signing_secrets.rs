//! A signing secret is made over the wire, in the three spellings of an action, and shown once.

use serde_json::json;
use tests::world::{Expect as _, HERE, World};
use webhook_model::WebhookId;

async fn signing(world: &World) -> Vec<String> {
    let row = world.engine.webhook(WebhookId(1)).await.unwrap().unwrap();
    let secrets = row.value.signing.iter();
    secrets.map(|secret| secret.expose().to_owned()).collect()
}

#[tokio::test]
async fn signing_secret_is_rolled_and_shown_once() {
    let world = World::start().await;
    let hook = json!({"name": "w", "url": "https://example.com/"});
    world.make("webhook_urls", hook).await;
    let spellings = [
        ("POST", "webhook_urls/1/roll_signing_secret", json!({})),
        (
            "PUT",
            "webhook_urls/1?action=roll_signing_secret",
            json!({"params": {"keep": 1}}),
        ),
        (
            "POST",
            "webhook_url_actions",
            json!({"webhook_url": 1, "action": "roll_signing_secret", "keep": 0}),
        ),
    ];
    let mut made: Vec<String> = Vec::new();
    for ((method, path, body), kept) in spellings.into_iter().zip([0, 1, 0]) {
        let done = world.api(method, path, Some(body)).await;
        assert_eq!(done.status, 200, "{path}: {}", done.body);
        assert_eq!(done.header("cache-control"), Some("no-store"));
        let secret = done.json()["response"]["signing_secret"].clone();
        let secret = secret.as_str().unwrap().to_owned();
        assert!(secret.starts_with("whsec_"), "{path}");
        made.insert(0, secret);
        assert_eq!(signing(&world).await, made[..=kept], "{path}");
        let row = world.get("webhook_urls/1?fields=all").await;
        assert!(!row.body.contains("whsec"), "{}", row.body);
    }
    let wrong = json!({"keep": 5});
    let wrong = world.post("webhook_urls/1/roll_signing_secret", wrong);
    assert_eq!(wrong.await.status, 422);
}

#[tokio::test]
async fn signing_secret_of_another_user_is_not_rolled() {
    let world = World::start().await;
    let hook = json!({"name": "w", "url": "https://example.com/"});
    world.make("webhook_urls", hook).await;
    let other = world.key_of(3, "other").await;
    let path = "webhook_urls/1/roll_signing_secret";
    world
        .call(&other, HERE, "POST", path, Some(json!({})))
        .await
        .expect(404);
    assert!(signing(&world).await.is_empty());
}
