//! The session tokens of the example: `POST /api/sys/tokens` gives one, `x-yottabyte-token` sends
//! it back. They end after a time without use (SPEC 5.1 rule 3), which is what API keys do not.

use std::fmt;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Path, State};
use axum::http::header::{self, CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, post};
use axum::{Json, Router};
use gatepost_engine::Engine;
use gatepost_keys::{
    Denied, GuessLimiter, PlatformAnswer, PlatformLogin, Presented, RetryAfter, Visit,
};
use gatepost_manage::Directory as _;
use gatepost_storage::{Clock, SystemClock};
use serde_json::{Value, json};
use webhook_model::{Audience, Object, ObjectId, Occurrence, OwnerId};

use crate::open_sessions::OpenSessions;
use crate::passwords::Checked;
use crate::platform::Platform;

const HEADER: &str = "x-yottabyte-token";

/// The tokens of one process. A login that brings none is the platform's to judge.
#[derive(Clone)]
pub struct Tokens {
    platform: Arc<Platform>,
    engine: Engine,
    guesses: GuessLimiter,
    open: Arc<OpenSessions>,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tokens(…)")
    }
}

impl Tokens {
    /// No token yet. The engine is notified of logins and logouts; the limiter is that of the key
    /// service.
    #[must_use]
    pub fn new(platform: Arc<Platform>, engine: Engine, guesses: GuessLimiter) -> Self {
        Self {
            platform,
            engine,
            guesses,
            open: Arc::new(OpenSessions::new(Arc::new(SystemClock))),
        }
    }

    /// Another clock than the machine's; to be set before any token is given.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.open = Arc::new(OpenSessions::new(clock));
        self
    }

    /// `/api/sys/tokens`.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/api/sys/tokens", post(login))
            .route("/api/sys/tokens/{token}", delete(logout))
            .with_state(self.clone())
            .layer(map_response(private))
    }

    /// A login or logout is an event like any other, for the user and those who administer it; that
    /// it cannot be reported does not undo it.
    async fn tell(&self, event: &str, owner: OwnerId, name: &str) {
        let (Ok(area), Ok(event)) = ("users".parse(), event.parse()) else {
            return;
        };
        let user = Object::new(ObjectId(owner.0), name);
        let occurrence = Occurrence::new(area, event, Audience::Owner(owner)).with_object(user);
        if let Err(error) = self.engine.emit(occurrence).await {
            tracing::warn!(%error, "a login was not told");
        }
    }
}

/// A token is kept by no cache on the way, and what says that it is JSON is read as nothing else.
async fn private(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// `POST /api/sys/tokens {"login", "password"}` → `{"$key": "<token>"}`
async fn login(
    State(tokens): State<Tokens>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    body: String,
) -> Response {
    let Ok(body) = serde_json::from_str::<Value>(&body) else {
        return refuse(StatusCode::BAD_REQUEST, "The body is not JSON");
    };
    let text = |name: &str| body[name].as_str().unwrap_or_default();
    let name = text("login");
    let attempt = match tokens.guesses.attempt(name, peer.ip()) {
        Ok(attempt) => attempt,
        Err(retry) => return too_many(retry),
    };
    let owner = match tokens.platform.password(name, text("password")).await {
        Checked::Good(owner) => owner,
        Checked::Wrong => {
            drop(attempt);
            return refuse(StatusCode::UNAUTHORIZED, "Wrong login or password");
        }
        Checked::Busy => {
            attempt.not_checked();
            return refuse(StatusCode::SERVICE_UNAVAILABLE, "Too many log in");
        }
    };
    attempt.succeeded();
    tokens.tell("login", owner, name).await;
    let token = json!({"$key": *tokens.open.open(owner, name)});
    (StatusCode::CREATED, Json(token)).into_response()
}

/// `DELETE /api/sys/tokens/{token}`: who knows a token may end it.
async fn logout(
    State(tokens): State<Tokens>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Path(token): Path<String>,
) -> Response {
    let Some(ended) = tokens.open.end(&token) else {
        return match tokens.guesses.wrong_secret(token.as_bytes(), peer.ip()) {
            Ok(()) => refuse(StatusCode::NOT_FOUND, "Not found"),
            Err(retry) => too_many(retry),
        };
    };
    let owner = ended.owner;
    let name = match Platform::principal(owner) {
        Some(user) => tokens.platform.name(&user, "users", owner.0).await,
        None => None,
    };
    tokens
        .tell("logout", owner, &name.unwrap_or_default())
        .await;
    StatusCode::OK.into_response()
}

fn too_many(retry: RetryAfter) -> Response {
    let after = [(header::RETRY_AFTER, retry.seconds().to_string())];
    let refused = refuse(StatusCode::TOO_MANY_REQUESTS, "Too many failed logins");
    (after, refused).into_response()
}

fn refuse(status: StatusCode, text: &str) -> Response {
    (status, Json(json!({"err": text}))).into_response()
}

impl PlatformLogin for Tokens {
    fn presented<'a>(&self, headers: &'a HeaderMap) -> Presented<'a> {
        match headers.get(HEADER) {
            Some(token) => Presented::Secret(token.as_bytes()),
            None => self.platform.presented(headers),
        }
    }

    fn login<'a>(
        &'a self,
        headers: &'a HeaderMap,
        from: IpAddr,
    ) -> Pin<Box<dyn Future<Output = PlatformAnswer> + Send + 'a>> {
        let Some(token) = headers.get(HEADER) else {
            return self.platform.login(headers, from);
        };
        let token = token.to_str().unwrap_or_default();
        let session = self.open.find(token, Visit::of(headers));
        let principal = session.and_then(|session| Platform::principal(session.owner));
        let answer = match principal {
            Some(principal) => PlatformAnswer::Granted(Box::new(principal)),
            None => PlatformAnswer::Refused(Denied::Unauthenticated),
        };
        Box::pin(async move { answer })
    }
}
