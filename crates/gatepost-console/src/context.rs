//! What a page knows of its request: who asks, and of which console.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use chrono::{DateTime, Utc};
use gatepost_manage::{Actor, Management, Principal};
use gatepost_storage::Clock;
use http::StatusCode;
use http::request::Parts;
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
    /// The caller at the door: all that a page reads or changes goes through it.
    pub actor: Actor,
    /// The caller's name, as the platform's login gives it.
    pub name: Arc<str>,
    /// The token that each form carries.
    pub csrf: Arc<str>,
    /// The path of the page below the console's own: what its form is sent to.
    pub path: Arc<str>,
    /// Where the API is, as far as anybody says.
    pub api: Option<Arc<str>>,
    /// Whether a key was taken out of the address of the page.
    pub key_withheld: bool,
    /// The platform's form to log out by.
    pub logout: Option<Arc<LogoutForm>>,
}

impl PageContext {
    /// A path below the console's own.
    pub(crate) fn at(&self, path: &str) -> String {
        self.console.at(path)
    }

    /// Where the form of this page is sent.
    pub(crate) fn own(&self) -> String {
        self.at(&self.path)
    }

    /// What the pages say.
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
    /// Only where a page is not behind the guard: a fault of ours.
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, StatusCode> {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// The door to the services, the platform's login, and how the pages look.
#[derive(Debug)]
pub(crate) struct ConsoleState {
    pub management: Management,
    pub login: Login,
    pub clock: Arc<dyn Clock>,
    /// The path under which all pages are, without a slash at its end.
    pub base: String,
    pub title: String,
    /// Where the API is, if the platform said so.
    pub api: Option<Url>,
    pub assets: Assets,
    pub csrf: Csrf,
    pub tickets: Tickets,
    pub texts: Texts,
}

impl ConsoleState {
    /// A path below the console's own.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}
