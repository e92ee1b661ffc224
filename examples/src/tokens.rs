//! The session tokens of the example: `POST /api/sys/tokens` gives one, `x-yottabyte-token` sends
//! it back. They end after a time without use (SPEC 5.1 rule 3), which is what API keys do not.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, post};
use axum::{Json, Router};
use gatepost_engine::Engine;
use gatepost_keys::{Denied, PlatformAnswer, PlatformLogin};
use gatepost_manage::Directory as _;
use serde_json::{Value, json};
use tokio::time::Instant;
use webhook_model::{Audience, Object, ObjectId, Occurrence, OwnerId};

use crate::platform::Platform;

/// How long a token lasts without a request.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// What a wrong password costs.
const PENALTY: Duration = Duration::from_millis(300);
/// Tokens at a time; the one unused for longest makes room.
const MOST: usize = 10_000;
const HEADER: &str = "x-yottabyte-token";

/// The tokens of one process. A login that brings none is the platform's to judge.
#[derive(Clone)]
pub struct Tokens {
    platform: Arc<Platform>,
    engine: Engine,
    open: Arc<Mutex<HashMap<String, (OwnerId, Instant)>>>,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tokens(…)")
    }
}

impl Tokens {
    /// No token yet. The engine is notified of logins and logouts.
    #[must_use]
    pub fn new(platform: Arc<Platform>, engine: Engine) -> Self {
        Self {
            platform,
            engine,
            open: Arc::default(),
        }
    }

    /// `/api/sys/tokens`.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/api/sys/tokens", post(login))
            .route("/api/sys/tokens/{token}", delete(logout))
            .with_state(self.clone())
            .layer(map_response(private))
    }

    /// Whose token this is; to ask keeps it alive.
    fn owner(&self, token: &str) -> Option<OwnerId> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let (owner, used) = open.get_mut(token)?;
        if now - *used > IDLE {
            open.remove(token);
            return None;
        }
        *used = now;
        Some(*owner)
    }

    fn issue(&self, owner: OwnerId) -> String {
        let token = format!("{:032x}", rand::random::<u128>());
        let now = Instant::now();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= MOST {
            open.retain(|_, (_, used)| now - *used < IDLE);
        }
        if open.len() >= MOST
            && let Some(oldest) = open.iter().min_by_key(|(_, (_, used))| *used)
        {
            let oldest = oldest.0.clone();
            open.remove(&oldest);
        }
        open.insert(token.clone(), (owner, now));
        token
    }

    /// A login or logout is an event like any other, for the user and those who administer it; that
    /// it cannot be reported does not undo it.
    async fn tell(&self, event: &str, owner: OwnerId, name: &str) {
        let (Ok(area), Ok(event)) = ("users".parse(), event.parse()) else {
            return;
        };
        let user = Object {
            id: ObjectId(owner.0),
            name: name.to_owned(),
        };
        let occurrence = Occurrence {
            object: Some(user),
            ..Occurrence::new(area, event, Audience::Owner(owner))
        };
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
async fn login(State(tokens): State<Tokens>, body: String) -> Response {
    let Ok(body) = serde_json::from_str::<Value>(&body) else {
        return refuse(StatusCode::BAD_REQUEST, "The body is not JSON");
    };
    let text = |name: &str| body[name].as_str().unwrap_or_default();
    let found = tokens.platform.password(text("login"), text("password"));
    let Some(owner) = found.await else {
        tokio::time::sleep(PENALTY).await;
        return refuse(StatusCode::UNAUTHORIZED, "Wrong login or password");
    };
    tokens.tell("login", owner, text("login")).await;
    let token = json!({"$key": tokens.issue(owner)});
    (StatusCode::CREATED, Json(token)).into_response()
}

/// `DELETE /api/sys/tokens/{token}`: who knows a token may end it.
async fn logout(State(tokens): State<Tokens>, Path(token): Path<String>) -> Response {
    let ended = {
        let mut open = tokens.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.remove(&token)
    };
    let Some((owner, _)) = ended else {
        return refuse(StatusCode::NOT_FOUND, "Not found");
    };
    let name = match Platform::principal(owner) {
        Some(user) => tokens.platform.name(&user, "users", owner.0).await,
        None => None,
    };
    tokens
        .tell("logout", owner, &name.unwrap_or_default())
        .await;
    StatusCode::OK.into_response()
}

fn refuse(status: StatusCode, text: &str) -> Response {
    (status, Json(json!({"err": text}))).into_response()
}

impl PlatformLogin for Tokens {
    fn login<'a>(
        &'a self,
        headers: &'a HeaderMap,
        from: IpAddr,
    ) -> Pin<Box<dyn Future<Output = PlatformAnswer> + Send + 'a>> {
        let Some(token) = headers.get(HEADER) else {
            return self.platform.login(headers, from);
        };
        let owner = token.to_str().ok().and_then(|token| self.owner(token));
        let principal = owner.and_then(Platform::principal);
        let answer = match principal {
            Some(principal) => PlatformAnswer::Granted(Box::new(principal)),
            None => PlatformAnswer::Refused(Denied::Unauthenticated),
        };
        Box::pin(async move { answer })
    }
}
