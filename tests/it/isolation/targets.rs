//! A dead or slow target affects only the webhook that names it.

use std::time::Duration;

use gatepost_engine::{BreakerLimits, Limits};
use tokio::net::TcpListener;

use super::{A, B, Platform};

/// Longer than any wait of a test.
const FOREVER: Duration = Duration::from_secs(3_600);

fn strict(limits: Limits) -> Limits {
    let breaker = BreakerLimits::default()
        .with_threshold(1)
        .with_max_pause(FOREVER);
    limits.with_breaker(breaker)
}

#[tokio::test]
async fn dead_port_delays_no_other_webhook_of_host() {
    let platform = Platform::with(|engine| engine.limits(strict(Limits::default()))).await;
    let closed = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let url = format!("http://chat.test:{}/", closed.port());
    let dead = platform.webhook_to(B, "dead", &url).await;
    for _ in 0..12 {
        platform.engine.send(dead, None).await.unwrap();
    }
    let own = platform.webhook(A, "a").await;
    for n in 1..=5 {
        platform.engine.send(own, None).await.unwrap();
        platform.receiver.wait_for("/a", n).await.unwrap();
    }
}

#[tokio::test]
async fn hanging_target_does_not_block_others_on_host() {
    let platform = Platform::with(|engine| engine.limits(strict(Limits::default()))).await;
    // It accepts and never answers; the other webhook of the host name answers.
    let hanging = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://chat.test:{}/", hanging.local_addr().unwrap().port());
    for n in 0..8 {
        let slow = platform.webhook_to(B, &format!("slow{n}"), &url).await;
        for _ in 0..100 {
            platform.engine.send(slow, None).await.unwrap();
        }
    }
    let own = platform.webhook(A, "a").await;
    for n in 1..=5 {
        platform.engine.send(own, None).await.unwrap();
        platform.receiver.wait_for("/a", n).await.unwrap();
    }
}
