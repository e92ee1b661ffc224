//! Names belong to their owner: no refusal reveals the names of others.

use examples::receiver::Receiver;
use serde_json::json;
use tests::world::{Expect as _, HERE, World};

/// Users of `tests::world`: 3 is in tenant 1, 4 is in no tenant.
#[tokio::test]
async fn webhook_name_is_unique_only_per_user() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let webhook = json!({"name": "slack", "url": format!("http://{}/", receiver.addr)});
    for user in [3, 4] {
        let key = world.key_of(user, "k").await;
        world
            .call(&key, HERE, "POST", "webhook_urls", Some(webhook.clone()))
            .await
            .expect(201);
        world
            .call(&key, HERE, "POST", "webhook_urls", Some(webhook.clone()))
            .await
            .expect(409);
        let listed = world
            .call(&key, HERE, "GET", "webhook_urls?fields=all", None)
            .await;
        assert_eq!(
            listed.json().as_array().unwrap().len(),
            1,
            "{}",
            listed.body
        );
    }
}
