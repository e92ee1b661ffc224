//! Who is at the browser: the host's session is taken over, and each request is judged before a
//! page sees it.

mod csrf;
mod guard;
mod tickets;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::FromRequestParts;
pub(super) use csrf::Csrf;
use gatepost_keys::Principal;
pub(super) use guard::{guard, protect};
use http::request::Parts;
pub(super) use tickets::Tickets;
use webhook_model::OwnerId;

use super::Console;
use super::failure::Failure;

/// A user whom the host has logged in.
#[derive(Clone)]
pub struct LoggedIn {
    /// The user. What it may do is asked of [`Accounts`](gatepost_keys::Accounts) at each request,
    /// as for a key.
    pub owner: OwnerId,
    /// What the user is called, for the top of the page.
    pub name: String,
    /// What tells this session from all others, such as its cookie: tokens against forged requests
    /// are bound to it. It is never shown.
    pub session: String,
}

impl fmt::Debug for LoggedIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoggedIn")
            .field("owner", &self.owner)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The host's login, handed over to the console.
///
/// A session kept in a cookie should be `HttpOnly`, `SameSite=Lax` or `Strict`, and `Secure` behind
/// TLS.
#[async_trait]
pub trait ConsoleLogin: fmt::Debug + Send + Sync + 'static {
    /// Who is logged in, judged by the request's head; `None` for nobody.
    async fn who(&self, request: &Parts) -> Option<LoggedIn>;

    /// Where to log in. `back` is the path and query to return to.
    fn login_url(&self, back: &str) -> String;

    /// Where a form without fields is posted to log out; `None` shows no button.
    fn logout_url(&self) -> Option<String> {
        None
    }
}

/// The caller of a request that was let through, for its handler.
#[derive(Clone, Debug)]
pub(super) struct Ctx {
    pub console: Console,
    pub principal: Arc<Principal>,
    pub name: Arc<str>,
    /// The token that each form carries.
    pub csrf: Arc<str>,
}

impl<S: Sync> FromRequestParts<S> for Ctx {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Failure> {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or(Failure::Internal)
    }
}
