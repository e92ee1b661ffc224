//! A receiver of webhooks: responds as its caller sets it to and remembers its requests.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::certificate::SelfSigned;

/// A request that arrived.
#[derive(Clone, Debug)]
pub struct Received {
    /// The path of the request.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: String,
    /// The status of the response.
    pub answered: StatusCode,
}

impl Received {
    /// Returns the value of a header, as text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

#[derive(Debug, Default)]
struct Inner {
    script: Mutex<VecDeque<StatusCode>>,
    delay: Mutex<Duration>,
    got: Mutex<Vec<Received>>,
    arrived: Notify,
}

/// The receiver; responds 200 when no other response is left.
#[derive(Clone, Debug)]
pub struct Receiver {
    inner: Arc<Inner>,
    /// The address that it listens on.
    pub addr: SocketAddr,
}

impl Receiver {
    /// Starts a receiver on a free port of 127.0.0.1, over TLS if a certificate is given. It ends
    /// with the runtime.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start(certificate: Option<&SelfSigned>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let addr = listener.local_addr()?;
        let inner = Arc::new(Inner::default());
        let router = Router::new().fallback(receive).with_state(inner.clone());
        let tls = certificate.map(|c| c.server.clone());
        tokio::spawn(crate::serve::serve(
            listener,
            tls,
            router,
            std::future::pending(),
        ));
        Ok(Self { inner, addr })
    }

    /// Sets the next responses, in order.
    pub fn answer_with(&self, statuses: &[StatusCode]) {
        lock(&self.inner.script).extend(statuses);
    }

    /// Sets how long each response takes; at first no time.
    pub fn answer_after(&self, delay: Duration) {
        *lock(&self.inner.delay) = delay;
    }

    /// Returns all requests so far.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        lock(&self.inner.got).clone()
    }

    /// Waits until the `n`-th request (counted from 1) to `path` has arrived, at most ten seconds.
    ///
    /// # Errors
    /// When it does not come in time.
    pub async fn wait_for(&self, path: &str, n: usize) -> io::Result<Received> {
        let wait = async {
            loop {
                let arrived = self.inner.arrived.notified();
                if let Some(received) = self
                    .received()
                    .into_iter()
                    .filter(|r| r.path == path)
                    .nth(n - 1)
                {
                    return received;
                }
                arrived.await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), wait)
            .await
            .map_err(|_| {
                io::Error::new(
                    io::ErrorKind::TimedOut,
                    format!("request {n} to {path} did not arrive"),
                )
            })
    }
}

async fn receive(
    State(inner): State<Arc<Inner>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let answered = lock(&inner.script).pop_front().unwrap_or(StatusCode::OK);
    let body = String::from_utf8_lossy(&body).into_owned();
    lock(&inner.got).push(Received {
        path: uri.path().to_owned(),
        headers,
        body,
        answered,
    });
    inner.arrived.notify_waiters();
    let delay = *lock(&inner.delay);
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
    answered
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
