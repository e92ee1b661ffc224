//! Receives what the nine's webhooks send, and counts it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};

use super::furnish::WEBHOOKS;

/// A receiver on this machine.
#[derive(Debug)]
pub(super) struct Receiver {
    pub addr: SocketAddr,
    arrived: Arc<AtomicUsize>,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let arrived = Arc::new(AtomicUsize::new(0));
        let count = arrived.clone();
        let counted = move || {
            count.fetch_add(1, Ordering::SeqCst);
            std::future::ready("")
        };
        let router = Router::new()
            .route("/counted", post(counted))
            .route("/his", post(async || ""));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { addr, arrived }
    }

    /// How many deliveries of these occurrences are missing, once there are none or time is up.
    pub(super) async fn missing(&self, occurrences: usize, patience: Duration) -> usize {
        let (expected, end) = (occurrences * WEBHOOKS, Instant::now() + patience);
        loop {
            let missing = expected.saturating_sub(self.arrived.load(Ordering::SeqCst));
            if missing == 0 || Instant::now() > end {
                return missing;
            }
            sleep(Duration::from_millis(50)).await;
        }
    }
}
