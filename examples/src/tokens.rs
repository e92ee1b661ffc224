//! The session tokens of the example: `POST /api/sys/tokens` returns one, and clients send it as
//! `x-yottabyte-token`. Unlike API keys, they end after a time without use (SPEC 5.1 rule 3).

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
use axum::{Extension, Json, Router};
use gatepost_engine::Engine;
use gatepost_ids::trim_pasted;
use gatepost_keys::{
    AuthLayer, Denied, GuessLimiter, PlatformAnswer, PlatformLogin, Presented, Principal,
    RetryAfter, Via, Visit,
};
use gatepost_manage::Directory as _;
use gatepost_storage::{Clock, SystemClock};
use serde_json::{Value, json};
use webhook_model::{Audience, Object, Occurrence, OwnerId};

use crate::open_sessions::OpenSessions;
use crate::passwords::Checked;
use crate::platform::Platform;

const HEADER: &str = "x-yottabyte-token";

/// The tokens of one process. The platform decides about a login that brings none.
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
    /// Creates the tokens; there is none yet. The engine is notified of logins and logouts; the
    /// limiter is that of the key service.
    #[must_use]
    pub fn new(platform: Arc<Platform>, engine: Engine, guesses: GuessLimiter) -> Self {
        Self {
            platform,
            engine,
            guesses,
            open: Arc::new(OpenSessions::new(Arc::new(SystemClock))),
        }
    }

    /// Sets another clock than the machine's. Must be called before any token is given.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.open = Arc::new(OpenSessions::new(clock));
        self
    }

    /// Returns the routes of `/api/sys/tokens`.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/api/sys/tokens", post(login))
            .route("/api/sys/tokens/{token}", delete(logout))
            .with_state(self.clone())
            .layer(map_response(private))
    }

    /// Returns the route `/api/sys/tokens/renew`, which gives a logged-in user another token.
    pub fn renewal(&self, guard: AuthLayer) -> Router {
        Router::new()
            .route("/api/sys/tokens/renew", post(renew))
            .with_state(self.clone())
            .layer(guard)
            .layer(map_response(private))
    }

    /// Reports a login or logout, which is an event like any other, for the user and those who
    /// administer it. If it cannot be reported, it still takes place.
    async fn tell(&self, event: &str, owner: OwnerId, name: &str) {
        let (Ok(area), Ok(event)) = ("users".parse(), event.parse()) else {
            return;
        };
        let user = Object::new(owner.into(), name);
        let occurrence = Occurrence::new(area, event, Audience::Owner(owner)).with_object(user);
        if let Err(error) = self.engine.emit(occurrence).await {
            tracing::warn!(%error, "a login was not announced");
        }
    }
}

/// Adds headers to a response with a token: caches must not keep it, and browsers must read it only
/// as JSON.
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
    let Ok(body) = serde_json::from_str::<Value>(trim_pasted(&body)) else {
        return refuse(StatusCode::BAD_REQUEST, "The body is not JSON");
    };
    let text = |name: &str| body[name].as_str().unwrap_or_default();
    let name = trim_pasted(text("login"));
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
            attempt.kept_waiting();
            return refuse(StatusCode::SERVICE_UNAVAILABLE, "Too many log in");
        }
    };
    attempt.succeeded();
    tokens.tell("login", owner, name).await;
    let token = json!({"$key": *tokens.open.open(owner, name)});
    (StatusCode::CREATED, Json(token)).into_response()
}

/// `POST /api/sys/tokens/renew` → `{"$key": "<token>"}`. API keys are refused: a token has no
/// restrictions, outlives the key, and could make further keys.
async fn renew(State(tokens): State<Tokens>, Extension(caller): Extension<Principal>) -> Response {
    if let Via::Key(_) = caller.via {
        return refuse(StatusCode::FORBIDDEN, "Log in: an API key gives no token");
    }
    let name = tokens
        .platform
        .name(&caller, "users", caller.owner.into())
        .await;
    let opened = tokens.open.open(caller.owner, &name.unwrap_or_default());
    (StatusCode::CREATED, Json(json!({"$key": *opened}))).into_response()
}

/// `DELETE /api/sys/tokens/{token}`: everybody who knows a token may end it.
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
        Some(user) => tokens.platform.name(&user, "users", owner.into()).await,
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

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::time::Duration;

    use axum::body::Body;
    use axum::http::Request;
    use delivery::{Sender, TargetPolicy};
    use gatepost_keys::{FailureLimit, GuessLimits};
    use gatepost_kv::MemoryStore;
    use gatepost_storage::ManualClock;
    use tower_service::Service as _;

    use super::*;
    use crate::passwords::Passwords;
    use crate::session::Sessions;

    const PASSWORD: &str = "open sesame";
    /// The number of failures without a delay, for each address.
    const FREE: u32 = 5;

    async fn engine(platform: &Arc<Platform>) -> Engine {
        let sender = Sender::builder(TargetPolicy::public()).build().unwrap();
        let engine = Engine::builder(Arc::new(MemoryStore::new()), sender);
        let engine = engine.subscription_policy(platform.clone(), platform.clone());
        engine.start().await.unwrap()
    }

    async fn status(router: &Router, path: &str, body: String, from: &str) -> StatusCode {
        let kind = match path {
            "/login" => "application/x-www-form-urlencoded",
            _ => "application/json",
        };
        let request = Request::post(path).header("content-type", kind);
        let mut request = request.body(Body::from(body)).unwrap();
        let peer: SocketAddr = format!("{from}:1").parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().call(request).await.unwrap().status()
    }

    /// 80 addresses that guess other names than the administrator's, at both entry points.
    #[tokio::test]
    async fn waiting_guesses_of_80_addresses_end() {
        for path in ["/api/sys/tokens", "/login"] {
            let mut passwords = Passwords::default();
            passwords.set("admin", &PASSWORD.parse().unwrap()).unwrap();
            let platform = Arc::new(Platform::new(passwords.clone()));
            let free = NonZeroU32::new(FREE).unwrap();
            let limit = FailureLimit::new(free, Duration::from_secs(10));
            let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().unwrap()));
            let guesses = GuessLimiter::new(GuessLimits::default().with_address(limit), clock);
            let tokens = Tokens::new(platform.clone(), engine(&platform).await, guesses.clone());
            let check = move |name: String, password: String| {
                let platform = platform.clone();
                async move { platform.password(&name, &password).await }
            };
            let sessions = Sessions::new(false, guesses, check);
            let router = tokens.router().merge(sessions.router());
            let body = |name: &str, password: &str| match path {
                "/login" => format!("user={name}&password={}", password.replace(' ', "+")),
                _ => json!({"login": name, "password": password}).to_string(),
            };
            let crowd = passwords.crowd().await;
            for n in 1..=80 {
                let from = format!("10.0.0.{n}");
                for turn in 0..FREE + 3 {
                    let guess = body(&format!("user{n}-{turn}"), "guess");
                    let expected = match turn > FREE {
                        true => StatusCode::TOO_MANY_REQUESTS,
                        false => StatusCode::SERVICE_UNAVAILABLE,
                    };
                    let status = status(&router, path, guess, &from).await;
                    assert_eq!(status, expected, "{path} {from} {turn}");
                }
            }
            drop(crowd);
            let right = body("admin", PASSWORD);
            let status = status(&router, path, right, "10.0.1.1").await;
            assert!(status.is_success() || status.is_redirection(), "{status}");
        }
    }
}
