//! Deliveries of OAuth 2 clients, from the REST API to the target.

use axum::http::StatusCode;
use examples::receiver::Receiver;
use gatepost_storage::AtMost;
use gatepost_storage::webhooks::{Delivery, DeliveryLog as _, DeliveryState, RecordStore as _};
use serde_json::{Value, json};
use tests::issuer::{Issuer, token};
use tests::world::{Expect as _, World, with};
use webhook_model::{Authorization, OAuth2, WebhookId};

/// The secret of the client; Basic encodes its colon.
const SECRET: &str = "cl1ent:s3cret";
/// The Basic credentials of `me` and the secret.
const BASIC: &str = "Basic bWU6Y2wxZW50JTNBczNjcmV0";

/// Returns a webhook to the receiver whose client asks at `token_url`, with more columns.
fn row(name: &str, receiver: &Receiver, token_url: &str, more: &Value) -> Value {
    let url = format!("http://{}/{name}", receiver.addr);
    let row = json!({
        "name": name, "url": url, "retries": 0, "timeout": 3,
        "authorization_type": "oauth2", "authorization_value": SECRET,
        "oauth_token_url": token_url, "oauth_client_id": "me",
    });
    with(row, more)
}

async fn parts() -> (Issuer, Receiver, World) {
    let issuer = Issuer::start().await;
    let world = World::trusting(issuer.certificate.der.clone()).await;
    (issuer, Receiver::start(None).await.unwrap(), world)
}

async fn send(world: &World, webhook: i64) -> Delivery {
    let id = world.engine.send(WebhookId(webhook), None).await.unwrap();
    world.ended(id).await
}

/// Returns the credentials that the target received, in order.
fn shown(receiver: &Receiver) -> Vec<String> {
    let received = receiver.received();
    let shown = received.iter().map(|one| one.header("authorization"));
    shown
        .map(|value| value.unwrap_or_default().to_owned())
        .collect()
}

#[tokio::test]
async fn one_token_serves_all_deliveries_of_a_webhook() {
    let (issuer, receiver, world) = parts().await;
    let more = json!({"oauth_scope": "a:read b"});
    let hook = row("w", &receiver, &issuer.url(), &more);
    let webhook = world.make("webhook_urls", hook).await;
    let mut sent = Vec::new();
    for _ in 0..20 {
        sent.push(world.engine.send(WebhookId(webhook), None).await.unwrap());
    }
    for id in sent {
        let delivery = world.ended(id).await;
        assert_eq!(
            delivery.state,
            DeliveryState::Sent,
            "{}",
            delivery.status_info
        );
    }
    assert_eq!(shown(&receiver), ["Bearer token-1"; 20]);
    let [asked] = &issuer.asked()[..] else {
        panic!("{:?}", issuer.asked());
    };
    assert_eq!(asked.authorization, BASIC);
    assert_eq!(asked.form, "grant_type=client_credentials&scope=a%3Aread+b");
    // In the form; and another revision of the webhook gets another token.
    let path = format!("webhook_urls/{webhook}");
    let edit = json!({"oauth_client_auth": "body", "oauth_scope": ""});
    world.put(&path, edit).await.expect(200);
    send(&world, webhook).await;
    let asked = issuer.asked();
    assert_eq!((asked.len(), &*asked[1].authorization), (2, ""));
    let form = "grant_type=client_credentials&client_id=me&client_secret=cl1ent%3As3cret";
    assert_eq!(asked[1].form, form);
}

#[tokio::test]
async fn a_token_that_has_expired_is_fetched_again() {
    let (issuer, receiver, world) = parts().await;
    let hook = row("w", &receiver, &issuer.url(), &json!({}));
    let webhook = world.make("webhook_urls", hook).await;
    issuer.answer_with(200, &token("short", 0));
    for expected in ["Bearer short", "Bearer token-2", "Bearer token-2"] {
        assert_eq!(send(&world, webhook).await.state, DeliveryState::Sent);
        assert_eq!(shown(&receiver).last().unwrap(), expected);
    }
}

#[tokio::test]
async fn refused_token_is_renewed_once_within_attempt() {
    let (issuer, receiver, world) = parts().await;
    let hook = row("w", &receiver, &issuer.url(), &json!({}));
    let webhook = world.make("webhook_urls", hook).await;
    receiver.answer_with(&[StatusCode::OK, StatusCode::UNAUTHORIZED]);
    send(&world, webhook).await;
    let renewed = send(&world, webhook).await;
    assert_eq!((renewed.state, renewed.attempts), (DeliveryState::Sent, 1));
    let info = "delivered with status 200 (second request, with a new access token)";
    assert_eq!(renewed.status_info, info);
    let [attempt] = &world.store.attempts(renewed.id, 9).await.unwrap()[..] else {
        panic!("there was one attempt");
    };
    assert_eq!(attempt.info, info);
    let tokens = ["Bearer token-1", "Bearer token-1", "Bearer token-2"];
    assert_eq!(shown(&receiver), tokens);
    // A target that refuses every token is not sent two more.
    receiver.answer_with(&[StatusCode::UNAUTHORIZED; 4]);
    let refused = send(&world, webhook).await;
    assert!(
        refused.status_info.contains("401"),
        "{}",
        refused.status_info
    );
    assert_eq!((shown(&receiver).len(), issuer.asked().len()), (5, 3));
}

#[tokio::test]
async fn forbidden_token_endpoint_refused_on_save_and_use() {
    let (_, receiver, world) = parts().await;
    for url in [
        "https://10.0.0.1/token",
        "https://169.254.169.254/",
        "https://[::1]/",
    ] {
        let hook = row("w", &receiver, url, &json!({}));
        let refused = world.post("webhook_urls", hook).await;
        assert_eq!(refused.status, 422, "{}", refused.body);
        let words = "'oauth_token_url' - 'cannot be asked: the target policy refuses";
        assert!(refused.body.contains(words), "{}", refused.body);
    }
    let hook = row("w", &receiver, "https://id.example.com/", &json!({}));
    let webhook = world.make("webhook_urls", hook).await;
    let edit = json!({"oauth_token_url": "https://10.0.0.1/", "authorization_value": SECRET});
    let path = format!("webhook_urls/{webhook}");
    world.put(&path, edit).await.expect(422);
    // Changed by other means: it is checked again when it is asked.
    let row = world.store.webhook(WebhookId(webhook)).await.unwrap();
    let mut row = row.unwrap();
    let client = OAuth2::new("https://10.0.0.1/", "me", SECRET).unwrap();
    row.value.authorization = Authorization::OAuth2(Box::new(client));
    let now = row.modified;
    let stored = world
        .store
        .update_webhook(&row, AtMost::UNLIMITED, now)
        .await;
    stored.unwrap();
    let refused = send(&world, webhook).await;
    let words = "no access token from the token endpoint: the target policy refuses";
    assert!(
        refused.status_info.contains(words),
        "{}",
        refused.status_info
    );
    assert!(receiver.received().is_empty());
}

#[tokio::test]
async fn client_secret_is_never_returned_or_carried_over() {
    let (issuer, receiver, world) = parts().await;
    let refusal = format!(r#"{{"error":"invalid_client","error_description":"{SECRET}"}}"#);
    issuer.answer_with(400, &refusal);
    let hook = row("w", &receiver, &issuer.url(), &json!({}));
    let webhook = world.make("webhook_urls", hook).await;
    send(&world, webhook).await;
    let path = format!("webhook_urls/{webhook}");
    for read in ["webhook_urls?fields=all", &path, "webhooks?fields=all"] {
        let read = world.get(read).await;
        assert!(!read.body.contains("s3cret"), "{}", read.body);
    }
    let stored = world.get(&format!("{path}?fields=all")).await;
    let stored = stored.json();
    assert_eq!(stored["authorization_type"], "oauth2");
    assert_eq!(stored["oauth_token_url"], issuer.url());
    assert_eq!(stored["oauth_client_id"], "me");
    let log = world.get("webhooks?fields=all").await;
    let words = "it responded with status 400 (invalid_client)";
    assert!(log.body.contains(words), "{}", log.body);
    for (edit, status) in [
        (json!({"oauth_token_url": "https://evil.example/"}), 422),
        (json!({"url": "https://evil.example/"}), 422),
        (
            json!({"oauth_token_url": format!("{}/other", issuer.url())}),
            422,
        ),
        (json!({"oauth_token_url": issuer.url(), "timeout": 4}), 200),
        (
            json!({"oauth_token_url": "https://id.example/", "authorization_value": "new"}),
            200,
        ),
        (json!({"authorization_type": "bearer"}), 422),
        (
            json!({"authorization_type": "bearer", "authorization_value": "t", "oauth_scope": "a"}),
            422,
        ),
        (json!({"authorization_type": "none"}), 200),
    ] {
        let edited = world.put(&path, edit.clone()).await;
        assert_eq!(edited.status, status, "{edit}: {}", edited.body);
        assert!(!edited.body.contains("s3cret"), "{}", edited.body);
    }
}

#[tokio::test]
async fn hanging_token_endpoint_affects_only_its_webhook() {
    let (issuer, receiver, world) = parts().await;
    issuer.hang();
    let hook = row("hangs", &receiver, &issuer.url(), &json!({}));
    let hangs = world.make("webhook_urls", hook).await;
    let url = format!("http://{}/good", receiver.addr);
    let good = world.make("webhook_urls", json!({"name": "good", "url": url}));
    let good = good.await;
    let mut stuck = Vec::new();
    for _ in 0..3 {
        stuck.push(world.engine.send(WebhookId(hangs), None).await.unwrap());
    }
    issuer.was_asked().await;
    assert_eq!(send(&world, good).await.state, DeliveryState::Sent);
    let ended = world.ended(stuck[0]).await;
    assert_eq!(ended.state, DeliveryState::Error);
    let words = "no access token from the token endpoint: ";
    assert!(
        ended.status_info.starts_with(words),
        "{}",
        ended.status_info
    );
    assert_eq!(receiver.received().len(), 1, "its target was not asked");
    assert_eq!(send(&world, good).await.state, DeliveryState::Sent);
}

#[tokio::test]
async fn token_endpoint_with_untrusted_certificate_gets_no_secret() {
    let issuer = Issuer::start().await;
    let (world, receiver) = (World::start().await, Receiver::start(None).await.unwrap());
    // The insecure connections that the webhook permits do not apply to its token endpoint.
    let more = json!({"allow_insecure": true});
    let hook = row("w", &receiver, &issuer.url(), &more);
    let webhook = world.make("webhook_urls", hook).await;
    let refused = send(&world, webhook).await;
    let words = "no access token from the token endpoint: TLS: ";
    assert!(
        refused.status_info.contains(words),
        "{}",
        refused.status_info
    );
    assert!(issuer.asked().is_empty());
}
