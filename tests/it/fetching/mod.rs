//! Messages that their receiver fetches.

mod listen;
mod mode_changes;
mod pages;
mod stores;

use examples::client::Response;
use gatepost_storage::Page;
use gatepost_storage::webhooks::{Delivery, DeliveryLog as _, DeliveryQuery};
use serde_json::{Value, json};
use tests::world::{Expect as _, HERE, World};
use webhook_model::WebhookId;

/// A platform with a webhook that is fetched, and no server behind its URL.
struct Site {
    world: World,
    webhook: i64,
}

impl Site {
    async fn start() -> Self {
        Self::in_world(World::start().await).await
    }

    async fn in_world(world: World) -> Self {
        let webhook = webhook(&world, "fetched").await;
        Self { world, webhook }
    }

    /// Queues these messages.
    async fn put(&self, messages: &[&str]) {
        for message in messages {
            self.send(message).await.expect(200);
        }
    }

    async fn send(&self, message: &str) -> Response {
        let path = format!("webhook_urls/{}/send", self.webhook);
        let body = json!({"message": message});
        self.world.post(&path, body).await
    }

    async fn set(&self, columns: Value) {
        let path = format!("webhook_urls/{}", self.webhook);
        let set = self.world.put(&path, columns).await;
        assert_eq!(set.status, 200, "{}", set.body);
    }

    async fn act(&self, action: &str) {
        let path = format!("webhook_urls/{}/{action}", self.webhook);
        let done = self.world.post(&path, json!({})).await;
        assert_eq!(done.status, 200, "{}", done.body);
    }

    /// Returns the response to this query by a key.
    async fn asked(&self, key: &str, query: &str) -> Response {
        let path = format!("webhook_urls/{}/messages?{query}", self.webhook);
        self.world.call(key, HERE, "GET", &path, None).await
    }

    /// Returns a page of the owner's messages.
    async fn fetch(&self, query: &str) -> Value {
        let page = self.asked(&self.world.admin, query).await.expect(200);
        page.json()
    }

    /// Returns the page after another one.
    async fn after(&self, page: &Value) -> Value {
        self.fetch(&format!("after={}", cursor(page))).await
    }

    /// Returns the log of the webhook, oldest first.
    async fn log(&self) -> Vec<Delivery> {
        let query = DeliveryQuery {
            webhook: Some(WebhookId(self.webhook)),
            ..DeliveryQuery::all(Page::first(1_000))
        };
        self.world.store.list_deliveries(&query).await.unwrap()
    }

    async fn states(&self) -> Vec<&'static str> {
        let log = self.log().await;
        log.iter().map(|delivery| delivery.state.as_str()).collect()
    }
}

async fn webhook(world: &World, name: &str) -> i64 {
    let url = "https://unreachable.example/in";
    let body = json!({"name": name, "url": url, "delivery_mode": "fetch"});
    world.make("webhook_urls", body).await
}

fn cursor(page: &Value) -> &str {
    page["cursor"].as_str().unwrap()
}

fn bodies(page: &Value) -> Vec<&str> {
    let messages = page["messages"].as_array().unwrap();
    messages
        .iter()
        .map(|message| message["body"].as_str().unwrap())
        .collect()
}
