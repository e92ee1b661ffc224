//! SPEC 2.2: what the fields of a webhook do to a request, seen by its target.

use examples::certificate::self_signed;
use examples::receiver::Receiver;
use gatepost_storage::webhooks::{Delivery, DeliveryState};
use serde_json::{Value, json};
use tests::world::{World, with};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use webhook_model::WebhookId;

/// Makes a webhook with these fields besides name and URL, sends the default message, waits for the
/// end.
async fn send(world: &World, url: String, fields: Value) -> Delivery {
    let body = with(json!({"name": url, "url": url, "retries": 0}), &fields);
    let webhook = world.make("webhook_urls", body).await;
    let id = world.engine.send(WebhookId(webhook), None).await.unwrap();
    world.ended(id).await
}

/// SPEC 2.2 "Allow Insecure Certificates": a self-signed certificate is accepted if the webhook
/// says so, and only then.
#[tokio::test]
async fn spec_2_2_self_signed_certificates_are_accepted_only_if_allowed() {
    let world = World::start().await;
    let receiver = Receiver::start(Some(&self_signed().unwrap()))
        .await
        .unwrap();
    let url = |path: &str| format!("https://{}/{path}", receiver.addr);
    for (path, fields) in [
        ("default", json!({})),
        ("off", json!({"allow_insecure": false})),
    ] {
        let refused = send(&world, url(path), fields).await;
        assert_eq!(refused.state, DeliveryState::Error);
        assert!(
            refused.status_info.contains("certificate"),
            "{}",
            refused.status_info
        );
    }
    assert!(receiver.received().is_empty(), "nothing was sent to it");
    let accepted = send(&world, url("on"), json!({"allow_insecure": true})).await;
    assert_eq!(
        accepted.state,
        DeliveryState::Sent,
        "{}",
        accepted.status_info
    );
    receiver.wait_for("/on", 1).await.unwrap();
}

/// SPEC 2.2 "Headers": the target gets them as they were written: edited, added, doubled, or none
/// at all.
#[tokio::test]
async fn spec_2_2_headers_arrive_as_they_were_written() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let url = |path: &str| format!("http://{}/{path}", receiver.addr);
    for (path, fields) in [
        ("default", json!({})),
        ("none", json!({"headers": ""})),
        (
            "edited",
            json!({"headers": "Content-Type: text/plain\nX-Priority: 1\nX-Priority: 2"}),
        ),
    ] {
        assert_eq!(
            send(&world, url(path), fields).await.state,
            DeliveryState::Sent
        );
    }
    let default = receiver.wait_for("/default", 1).await.unwrap();
    assert_eq!(default.header("content-type"), Some("application/json"));
    assert_eq!(default.body, r#"{"text":"Webhook"}"#);
    let none = receiver.wait_for("/none", 1).await.unwrap();
    assert_eq!(none.header("content-type"), None);
    let edited = receiver.wait_for("/edited", 1).await.unwrap();
    assert_eq!(edited.header("content-type"), Some("text/plain"));
    let priorities: Vec<_> = edited.headers.get_all("x-priority").iter().collect();
    assert_eq!(priorities, ["1", "2"]);
}

/// SPEC 2.2 "Headers": custom headers are sent in the order in which they were given, a repeated
/// name at its position among the others, in the case in which they were written.
#[tokio::test]
async fn spec_2_2_headers_leave_in_the_order_and_case_they_were_written() {
    let world = World::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let target = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.windows(4).any(|four| four == b"\r\n\r\n") {
            assert!(stream.read_buf(&mut request).await.unwrap() > 0);
        }
        let response = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
        stream.write_all(response).await.unwrap();
        String::from_utf8(request).unwrap()
    });
    let given = [
        "X-Alpha: 1",
        "x-PRIORITY: high",
        "Content-Type: text/plain",
        "X-Route: ops",
        "X-Alpha: 2",
    ];
    let sent = send(&world, url, json!({"headers": given.join("\n")})).await;
    assert_eq!(sent.state, DeliveryState::Sent, "{}", sent.status_info);
    let request = target.await.unwrap();
    let lines: Vec<_> = request.split("\r\n").collect();
    let left: Vec<_> = lines.iter().filter(|line| given.contains(line)).collect();
    assert_eq!(left, given.iter().collect::<Vec<_>>(), "{request}");
}

/// SPEC 2.2 "Authorization Type" and SPEC 5.2: what each type sends, with nothing added.
#[tokio::test]
async fn spec_2_2_each_authorization_as_the_target_sees_it() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    for (path, kind, value, header, expected) in [
        (
            "b",
            "bearer",
            "t0ken",
            "authorization",
            Some("Bearer t0ken"),
        ),
        ("k", "apikey", "r4w key", "x-api-key", Some("r4w key")),
        (
            "a",
            "basic",
            "ada:love:lace",
            "authorization",
            Some("Basic YWRhOmxvdmU6bGFjZQ=="),
        ),
        ("n", "none", "", "authorization", None),
    ] {
        let url = format!("http://{}/{path}", receiver.addr);
        let sent = send(
            &world,
            url,
            json!({"authorization_type": kind, "authorization_value": value}),
        )
        .await;
        assert_eq!(sent.state, DeliveryState::Sent, "{kind}");
        let received = receiver.wait_for(&format!("/{path}"), 1).await.unwrap();
        assert_eq!(received.header(header), expected, "{kind}");
    }
}

/// SPEC 2.2 "Retries": the number of reattempts after the first attempt; none if it is 0.
#[tokio::test]
async fn spec_2_2_retries_are_reattempts() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    for retries in [0_u32, 1, 4] {
        receiver.answer_with(&vec![
            axum::http::StatusCode::BAD_GATEWAY;
            retries as usize + 1
        ]);
        let url = format!("http://{}/{retries}", receiver.addr);
        let failed = send(&world, url, json!({"retries": retries})).await;
        assert_eq!(
            (failed.state, failed.attempts),
            (DeliveryState::Error, retries + 1)
        );
    }
    assert_eq!(receiver.received().len(), 1 + 2 + 5);
}
