//! The receiver: accepts the messages that its webhook signed, and shows them.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use chrono::{DateTime, Utc};
use delivery::Verifier;
use examples::serve::{ServeLimits, serve_within};
use gatepost_manage::Actor;
use gatepost_storage::{Clock, SystemClock};
use tokio::net::TcpListener;
use tokio::sync::watch;
use webhook_model::WebhookId;

use super::page;

/// How many messages are shown: the newest.
const SHOWN: usize = 20;
/// How much of each body is shown, in bytes.
const BODY: usize = 16 * 1024;
/// How long `/last` waits for the first, and for one that it has not shown.
const PATIENCE: Duration = Duration::from_secs(10);
const SHORT_PATIENCE: Duration = Duration::from_secs(2);
const CONNECTIONS: usize = 64;
/// The response to a message of another webhook.
const UNSIGNED: &str =
    "This receiver only accepts messages that the webhook of the demo has signed.\n";

/// A message that arrived, signed.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub id: String,
    pub at: DateTime<Utc>,
    pub body: String,
    /// Whether `/last` has shown it.
    pub seen: bool,
}

/// The received messages, the newest first.
pub(super) type Messages = VecDeque<Message>;

/// The receiver of one webhook.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    admin: Actor,
    webhook: WebhookId,
    addr: SocketAddr,
    messages: Arc<watch::Sender<Messages>>,
}

impl Receiver {
    /// Creates the receiver. It reads the webhook's signing secrets as `admin`, its owner.
    pub(super) fn new(admin: Actor, webhook: WebhookId, addr: SocketAddr) -> Self {
        Self {
            admin,
            webhook,
            addr,
            messages: Arc::default(),
        }
    }

    /// Serves until the process ends.
    pub(super) fn serve(self, listener: TcpListener) {
        let router = Router::new()
            .route("/", get(show))
            .route("/last", get(last))
            .route("/hook", post(take))
            .layer(from_fn_with_state(self.clone(), by_its_name))
            .with_state(self);
        let limits = ServeLimits::of_connections(CONNECTIONS);
        let forever = std::future::pending();
        tokio::spawn(serve_within(limits, listener, None, router, forever));
    }

    /// Returns a verifier with the webhook's present secrets: they may be rotated.
    async fn verifier(&self) -> Option<Verifier> {
        let row = self.admin.webhook(self.webhook).await.ok()?;
        let secrets = row.value.signing.iter();
        let keys = secrets.filter_map(|secret| secret.expose().parse().ok());
        Some(Verifier::new(keys))
    }

    fn keep(&self, message: Message) {
        self.messages.send_modify(|messages| {
            // A message that is delivered twice is shown once.
            messages.retain(|known| known.id != message.id);
            messages.push_front(message);
            messages.truncate(SHOWN);
        });
    }
}

/// Refuses requests by another name: a page elsewhere may point its own name to this address, to
/// read the messages.
async fn by_its_name(State(receiver): State<Receiver>, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST);
    let own = receiver.addr.to_string();
    let local = format!("localhost:{}", receiver.addr.port());
    if host.is_some_and(|host| host == own.as_str() || host == local.as_str()) {
        return next.run(request).await;
    }
    StatusCode::MISDIRECTED_REQUEST.into_response()
}

/// `POST /hook`: 204 for a signed message, 401 and the reason for anything else.
async fn take(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> Response {
    let header = |name| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default()
    };
    let Some(verifier) = receiver.verifier().await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let at = SystemClock.now();
    let (id, sent) = (header("webhook-id"), header("webhook-timestamp"));
    let Ok(verified) = verifier.verify(id, sent, header("webhook-signature"), &body, at) else {
        return (StatusCode::UNAUTHORIZED, UNSIGNED).into_response();
    };
    let body = String::from_utf8_lossy(&body[..body.len().min(BODY)]).into_owned();
    receiver.keep(Message {
        id: verified.id,
        at,
        body,
        seen: false,
    });
    let page = format!("http://{}/", receiver.addr);
    tracing::info!(target: "receiver", page, "a message has arrived");
    StatusCode::NO_CONTENT.into_response()
}

/// `GET /`: a page, for a browser.
async fn show(State(receiver): State<Receiver>) -> Response {
    page::html(&receiver.messages.borrow())
}

/// `GET /last`: the newest message, as text; waits for one that was not shown yet. A message that
/// is shown again is marked as such: the lines of the start, pasted twice, should show two
/// messages.
async fn last(State(receiver): State<Receiver>) -> Response {
    let mut messages = receiver.messages.subscribe();
    let patience = match messages.borrow().is_empty() {
        true => PATIENCE,
        false => SHORT_PATIENCE,
    };
    let is_new = |messages: &Messages| messages.front().is_some_and(|last| !last.seen);
    // If none comes in time, the last one is shown again.
    let _ = tokio::time::timeout(patience, messages.wait_for(is_new)).await;
    let mut last = None;
    receiver.messages.send_if_modified(|messages| {
        last = messages.front().cloned();
        messages.iter_mut().for_each(|message| message.seen = true);
        false
    });
    match last {
        Some(message) => page::text(&message),
        None => (StatusCode::NOT_FOUND, "nothing has arrived\n").into_response(),
    }
}
