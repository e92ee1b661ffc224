//! A token endpoint over TLS.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use examples::certificate::{SelfSigned, self_signed};
use examples::serve::serve;
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::world::HERE;

/// A token request: the header `Authorization`, and the form.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The header; empty without one.
    pub authorization: String,
    /// The body.
    pub form: String,
}

#[derive(Debug, Default)]
struct Inner {
    asked: Mutex<Vec<Asked>>,
    answers: Mutex<VecDeque<(u16, String)>>,
    hangs: AtomicBool,
    arrived: Notify,
}

/// A token endpoint that issues `token-1`, `token-2` and so on, for an hour each, unless its script
/// has another response.
#[derive(Debug)]
pub struct Issuer {
    inner: Arc<Inner>,
    addr: SocketAddr,
    /// The certificate by which clients know it.
    pub certificate: SelfSigned,
}

impl Issuer {
    /// Starts it; it listens until the runtime ends.
    ///
    /// # Panics
    /// If it cannot.
    pub async fn start() -> Self {
        Self::showing(self_signed().unwrap()).await
    }

    /// Starts it with this certificate; it listens until the runtime ends.
    ///
    /// # Panics
    /// If it cannot.
    pub async fn showing(certificate: SelfSigned) -> Self {
        let listener = TcpListener::bind((HERE, 0)).await.unwrap();
        let addr = listener.local_addr().unwrap();
        let inner = Arc::new(Inner::default());
        let router = Router::new().fallback(answer).with_state(inner.clone());
        let tls = Some(certificate.server.clone());
        tokio::spawn(serve(listener, tls, router, std::future::pending()));
        Self {
            inner,
            addr,
            certificate,
        }
    }

    /// Returns the URL of its token endpoint.
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://{}/token", self.addr)
    }

    /// Sets the next response.
    ///
    /// # Panics
    /// After a panic of another thread that used it.
    pub fn answer_with(&self, status: u16, body: &str) {
        let mut answers = self.inner.answers.lock().unwrap();
        answers.push_back((status, body.to_owned()));
    }

    /// Makes it accept requests from now on and respond to none.
    pub fn hang(&self) {
        self.inner.hangs.store(true, Ordering::SeqCst);
    }

    /// Returns all requests so far.
    ///
    /// # Panics
    /// After a panic of another thread that used it.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.inner.asked.lock().unwrap().clone()
    }

    /// Waits until it has a request.
    ///
    /// # Panics
    /// After a minute.
    pub async fn was_asked(&self) {
        let wait = async {
            loop {
                let arrived = self.inner.arrived.notified();
                if !self.asked().is_empty() {
                    return;
                }
                arrived.await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(60), wait).await;
        waited.unwrap();
    }
}

async fn answer(State(inner): State<Arc<Inner>>, headers: HeaderMap, form: String) -> Response {
    let authorization = headers.get("authorization").map(|value| value.to_str());
    let authorization = authorization.map_or("", |value| value.unwrap()).to_owned();
    let number = {
        let mut asked = inner.asked.lock().unwrap();
        asked.push(Asked {
            authorization,
            form,
        });
        asked.len()
    };
    inner.arrived.notify_waiters();
    if inner.hangs.load(Ordering::SeqCst) {
        std::future::pending::<()>().await;
    }
    let scripted = inner.answers.lock().unwrap().pop_front();
    let (status, body) = scripted.unwrap_or_else(|| (200, token(&format!("token-{number}"), 3600)));
    (StatusCode::from_u16(status).unwrap(), body).into_response()
}

/// Returns a response of a token endpoint.
#[must_use]
pub fn token(token: &str, expires_in: u64) -> String {
    format!(r#"{{"access_token":"{token}","token_type":"Bearer","expires_in":{expires_in}}}"#)
}
