//! The result of a delivery for each behaviour of the target: state, class, and number of attempts.

use std::net::SocketAddr;
use std::time::Duration;

use gatepost_storage::webhooks::{Delivery, DeliveryState};
use serde_json::json;
use tests::refused_address::Refusing;
use tests::world::World;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use webhook_model::WebhookId;

/// Responds to every connection with these bytes and closes it; with none, it closes immediately.
async fn target(answer: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(answer).await;
            });
        }
    });
    addr
}

/// Sends once to a target, with this number of retries, and waits for the end.
async fn deliver(world: &World, target: SocketAddr, retries: i64) -> Delivery {
    let name = format!("to {target}");
    let webhook = world.make("webhook_urls", json!({"name": name, "url": format!("http://{target}/"), "retries": retries, "timeout": 3})).await;
    let id = world.engine.send(WebhookId(webhook), None).await.unwrap();
    world.ended(id).await
}

#[tokio::test]
async fn statuses() {
    let world = World::start().await;
    for (answer, state, status) in [
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".as_slice(),
            DeliveryState::Sent,
            200,
        ),
        (b"HTTP/1.1 204 No Content\r\n\r\n", DeliveryState::Sent, 204),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\ncut",
            DeliveryState::Sent,
            200,
        ),
        (
            b"HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
            DeliveryState::Error,
            301,
        ),
        (
            b"HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n",
            DeliveryState::Error,
            400,
        ),
        (
            b"HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n",
            DeliveryState::Error,
            404,
        ),
        (
            b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n",
            DeliveryState::Error,
            410,
        ),
        (
            b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n",
            DeliveryState::Error,
            500,
        ),
        (
            b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n",
            DeliveryState::Error,
            503,
        ),
    ] {
        let delivery = deliver(&world, target(answer).await, 2).await;
        let attempts = if state == DeliveryState::Sent { 1 } else { 3 };
        assert_eq!(
            (delivery.state, delivery.response_status, delivery.attempts),
            (state, Some(status), attempts),
            "{status}"
        );
        let log = world.engine.attempts(delivery.id, 99).await.unwrap();
        assert_eq!(log.len(), attempts as usize);
        assert!(log.iter().all(|attempt| attempt.class
            == if state == DeliveryState::Sent {
                "ok"
            } else {
                "status"
            }));
    }
}

#[tokio::test]
async fn retry_after_is_honoured_upward_in_both_forms() {
    let world = World::start().await;
    for answer in [
        b"HTTP/1.1 429 Slow\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n".as_slice(),
        b"HTTP/1.1 503 Busy\r\nRetry-After: Fri, 01 Jan 2100 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n",
    ] {
        let target = target(answer).await;
        let webhook = world.make("webhook_urls", json!({"name": target.to_string(), "url": format!("http://{target}/"), "retries": 1})).await;
        let id = world.engine.send(WebhookId(webhook), None).await.unwrap();
        let delivery = loop {
            let delivery = world.engine.delivery(id).await.unwrap().unwrap();
            if delivery.attempts == 1 && delivery.state == DeliveryState::Queued {
                break delivery;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        let wait = delivery.due - delivery.last_attempt.unwrap();
        assert!(wait.num_seconds() >= 3600 && wait.num_seconds() <= 24 * 3600 + 5, "{wait}");
    }
}

#[tokio::test]
async fn failures_without_an_answer() {
    let world = World::start().await;
    let closed = Refusing::port();
    for (target, class) in [
        (closed.addr(), "connect"),
        (target(b"").await, "reset"),
        (target(b"HTTP/1.1 200").await, "reset"),
        (target(b"SSH-2.0-x\r\n").await, "protocol"),
    ] {
        let delivery = deliver(&world, target, 1).await;
        assert_eq!(
            (delivery.state, delivery.attempts, delivery.response_status),
            (DeliveryState::Error, 2, None),
            "{class}"
        );
        let log = world.engine.attempts(delivery.id, 99).await.unwrap();
        assert_eq!(
            log.iter()
                .map(|attempt| attempt.class.as_str())
                .collect::<Vec<_>>(),
            [class, class],
            "{}",
            delivery.status_info
        );
    }
}

#[tokio::test]
async fn delivery_to_silent_target_ends_at_timeout() {
    let world = World::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let delivery = deliver(&world, listener.local_addr().unwrap(), 0).await;
    assert_eq!(
        (delivery.state, delivery.attempts),
        (DeliveryState::Error, 1)
    );
    let took = delivery.duration.unwrap();
    assert!(
        took >= Duration::from_secs(3) && took < Duration::from_secs(20),
        "{took:?}"
    );
    assert!(
        delivery.status_info.contains("timed out"),
        "{}",
        delivery.status_info
    );
}

#[tokio::test]
async fn forbidden_target_is_tried_once_without_revealing_address() {
    let world = World::start().await;
    let webhook = world
        .make(
            "webhook_urls",
            json!({"name": "inner", "url": "http://10.0.0.1/", "retries": 5}),
        )
        .await;
    let id = world.engine.send(WebhookId(webhook), None).await.unwrap();
    let delivery = world.ended(id).await;
    assert_eq!(
        (delivery.state, delivery.attempts),
        (DeliveryState::Error, 1)
    );
    assert_eq!(
        world.engine.attempts(id, 99).await.unwrap()[0].class,
        "refused"
    );
}
