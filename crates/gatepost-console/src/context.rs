//! The context of a page's request: its caller and its console.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use chrono::{DateTime, Utc};
use gatepost_manage::{Actor, Management, Principal};
use gatepost_storage::Clock;
use http::request::Parts;
use http::{HeaderValue, StatusCode};
use url::Url;

use crate::assets::Assets;
use crate::csrf::{Csrf, Tickets};
use crate::link_sessions::Login;
use crate::login::LogoutForm;
use crate::texts::Texts;

/// The caller of a request that [`guard`](crate::guard::guard) has let through.
#[derive(Clone, Debug)]
pub(crate) struct PageContext {
    pub console: Arc<ConsoleState>,
    /// The caller of the services: the page reads and changes everything through it.
    pub actor: Actor,
    /// The caller's name, as the platform's login gives it.
    pub name: Arc<str>,
    /// The token that each form carries.
    pub csrf: Arc<str>,
    /// The path of the page below the console's own, to which its form is sent.
    pub path: Arc<str>,
    /// The address of the API, if it is known.
    pub api: Option<Arc<str>>,
    /// Whether the console removed a key from the address of the page.
    pub key_withheld: bool,
    /// Whether the page responds to a form.
    pub is_sent: bool,
    /// The platform's form for logging out.
    pub logout: Option<Arc<LogoutForm>>,
}

impl PageContext {
    /// Returns a path below the console's own, with the latter in front.
    pub(crate) fn at(&self, path: &str) -> String {
        self.console.at(path)
    }

    /// Returns the address to which the form of this page is sent.
    pub(crate) fn own(&self) -> String {
        self.at(&self.path)
    }

    /// Returns the texts of the pages.
    pub(crate) fn texts(&self) -> &Texts {
        &self.console.texts
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.console.clock.now()
    }

    pub(crate) fn principal(&self) -> &Principal {
        self.actor.principal()
    }
}

impl<S: Sync> FromRequestParts<S> for PageContext {
    /// Only for a page that is not behind the guard: a bug of the console.
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, StatusCode> {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// The services, the platform's login, and the appearance of the pages.
#[derive(Debug)]
pub(crate) struct ConsoleState {
    pub management: Management,
    pub login: Login,
    pub clock: Arc<dyn Clock>,
    /// The path of all pages, without a slash at its end.
    pub base: String,
    pub title: String,
    /// The address of the API, if the platform set it.
    pub api: Option<Url>,
    pub assets: Assets,
    pub slots: Slots,
    /// The `Content-Security-Policy` of every response.
    pub policy: HeaderValue,
    pub csrf: Csrf,
    pub tickets: Tickets,
    pub texts: Texts,
}

/// The platform's own markup on each page.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    pub header: String,
    pub footer: String,
}

impl ConsoleState {
    /// Returns a path below the console's own, with the latter in front.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}
