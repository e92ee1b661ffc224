//! Deliveries to targets that ask for a client certificate.

use gatepost_storage::webhooks::{Delivery, DeliveryState};
use serde_json::json;
use tests::mutual_tls::{Authority, Target};
use tests::world::{Expect as _, HERE, World};
use webhook_model::WebhookId;

use super::{parts, plain, row};

async fn send(world: &World, webhook: i64) -> Delivery {
    let id = world.engine.send(WebhookId(webhook), None).await.unwrap();
    world.ended(id).await
}

async fn sent(world: &World, webhook: i64) {
    let delivery = send(world, webhook).await;
    let info = delivery.status_info;
    assert_eq!(delivery.state, DeliveryState::Sent, "{info}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhook_presents_its_own_certificate_on_every_delivery() {
    for alpn in ["http/1.1", "h2"] {
        let (authority, world) = parts().await;
        let target = Target::asking(&authority, alpn).await;
        let mut webhooks = Vec::new();
        // Two owners with an identity each, and one of them without one too.
        for (user, name) in [(2, "ada"), (3, "bob")] {
            let hook = row(
                name,
                &target.url(&format!("/{name}")),
                &authority.client(name),
            );
            let key = world.key_of(user, name).await;
            let made = world
                .call(&key, HERE, "POST", "webhook_urls", Some(hook))
                .await
                .expect(201);
            webhooks.push(made.json()["$row"].as_i64().unwrap());
        }
        let hook = plain("none", &target.url("/none"));
        webhooks.push(world.make("webhook_urls", hook).await);
        let mut queued = Vec::new();
        for webhook in webhooks.repeat(20) {
            queued.push(world.engine.send(WebhookId(webhook), None).await.unwrap());
        }
        for id in queued {
            let delivery = world.ended(id).await;
            let info = delivery.status_info;
            assert_eq!(delivery.state, DeliveryState::Sent, "{alpn}: {info}");
        }
        let arrived = target.arrived();
        assert_eq!(arrived.len(), 60);
        for (path, shown) in arrived {
            let wanted = match &*path {
                "/ada" => "CN=ada",
                "/bob" => "CN=bob",
                _ => "",
            };
            assert_eq!(shown, wanted, "{alpn}: {path}");
        }
    }
}

#[tokio::test]
async fn target_requiring_certificate_refuses_missing_or_foreign_one() {
    for alpn in ["http/1.1", "h2"] {
        let (authority, world) = parts().await;
        let target = Target::requiring(&authority, alpn).await;
        let url = target.url("/in");
        let stranger = row("stranger", &url, &Authority::new().client("stranger"));
        for (hook, words) in [
            (
                plain("none", &url),
                "TLS: the target requires a client certificate",
            ),
            (
                stranger,
                "TLS: the target refused the client certificate with the alert ",
            ),
        ] {
            let webhook = world.make("webhook_urls", hook).await;
            let refused = send(&world, webhook).await;
            assert_eq!(refused.state, DeliveryState::Error);
            assert_eq!(refused.class, "tls");
            let info = refused.status_info;
            assert!(info.starts_with(words), "{alpn}: {info}");
        }
        assert_eq!(target.arrived(), []);
        let hook = row("ada", &url, &authority.client("ada"));
        let webhook = world.make("webhook_urls", hook).await;
        sent(&world, webhook).await;
        assert_eq!(target.arrived(), [("/in".to_owned(), "CN=ada".to_owned())]);
    }
}

#[tokio::test]
async fn changed_certificate_is_used_from_next_attempt() {
    let (authority, world) = parts().await;
    let target = Target::asking(&authority, "h2").await;
    let old = authority.client("old");
    let hook = row("w", &target.url("/"), &old);
    let webhook = world.make("webhook_urls", hook).await;
    let path = format!("webhook_urls/{webhook}");
    let other = authority.client("other");
    // Another pair; another certificate for the key that is there; none.
    let renewed = authority.renewed("renewed", None, &other.key);
    for edit in [
        json!({"client_certificate": other.certificate, "client_key": other.key}),
        json!({"client_certificate": renewed.certificate}),
        json!({"client_certificate": ""}),
    ] {
        sent(&world, webhook).await;
        world.put(&path, edit).await.expect(200);
    }
    sent(&world, webhook).await;
    let shown = target.arrived().into_iter().map(|(_, shown)| shown);
    let wanted = ["CN=old", "CN=other", "CN=renewed", ""];
    assert_eq!(shown.collect::<Vec<_>>(), wanted);
}

#[tokio::test]
async fn a_bearer_token_goes_along_with_a_certificate() {
    let (authority, world) = parts().await;
    let target = Target::requiring(&authority, "h2").await;
    let mut hook = row("w", &target.url("/"), &authority.client("ada"));
    hook["authorization_type"] = json!("bearer");
    hook["authorization_value"] = json!("t0ken");
    let webhook = world.make("webhook_urls", hook).await;
    sent(&world, webhook).await;
    assert_eq!(target.arrived()[0].1, "CN=ada");
}
