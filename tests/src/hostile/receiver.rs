//! A receiver that counts the deliveries of the nine's webhooks.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::routing::{MethodRouter, post};
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep, timeout};

use super::furnish::WEBHOOKS;
use super::{PATIENCE, targets};

/// Receivers on this machine: an ordinary one, and those of [`targets`].
#[derive(Debug)]
pub(super) struct Receiver {
    pub addr: SocketAddr,
    pub http1: SocketAddr,
    pub http2: SocketAddr,
    arrived: Arc<AtomicUsize>,
    his: Arc<AtomicUsize>,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let arrived = Arc::new(AtomicUsize::new(0));
        let his = Arc::new(AtomicUsize::new(0));
        let router = Router::new()
            .route("/counted", counting(arrived.clone()))
            .route("/his", counting(his.clone()));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            addr,
            http1: targets::http1(arrived.clone()).await,
            http2: targets::http2(arrived.clone()).await,
            arrived,
            his,
        }
    }

    /// Waits until this number of the attacker's deliveries have arrived.
    ///
    /// # Panics
    /// If they do not.
    pub(super) async fn his(&self, deliveries: usize) {
        let arrived = async {
            while self.his.load(Ordering::SeqCst) < deliveries {
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(PATIENCE, arrived).await.unwrap();
    }

    /// Returns the number of missing deliveries of these occurrences, once there are none or the
    /// time has ended.
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

fn counting(count: Arc<AtomicUsize>) -> MethodRouter {
    post(move || {
        count.fetch_add(1, Ordering::SeqCst);
        std::future::ready("")
    })
}
