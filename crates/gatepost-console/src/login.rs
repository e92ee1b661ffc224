//! The platform's login, as the console asks for it.

use std::fmt;
use std::net::IpAddr;

use async_trait::async_trait;
use gatepost_manage::Visit;
use http::request::Parts;
use webhook_model::OwnerId;

/// A user that the platform has logged in.
#[derive(Clone)]
#[non_exhaustive]
pub struct LoggedIn {
    /// The user. Its permissions are asked of `Accounts` at each
    /// request, as for a key.
    pub owner: OwnerId,
    /// The user's name, shown at the top of the page.
    pub name: String,
    /// What identifies this session, such as the value of its cookie: tokens against forged
    /// requests are bound to it. It is never shown.
    pub session: String,
}

impl LoggedIn {
    /// The user, the name to show, and what identifies the session.
    #[must_use]
    pub fn new(owner: OwnerId, name: impl Into<String>, session: impl Into<String>) -> Self {
        Self {
            owner,
            name: name.into(),
            session: session.into(),
        }
    }
}

impl fmt::Debug for LoggedIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoggedIn")
            .field("owner", &self.owner)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The form by which a user logs out: where it is posted, and hidden fields that show the platform
/// that it came from a page of this session. `Debug` shows no value.
#[derive(Clone, Eq, PartialEq)]
pub struct LogoutForm {
    pub(crate) url: String,
    pub(crate) fields: Vec<(String, String)>,
}

impl LogoutForm {
    /// A form that is posted to this address, without fields.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            fields: Vec::new(),
        }
    }

    /// Adds a hidden field: the platform's token against forged requests, bound to the session.
    #[must_use]
    pub fn with_field(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.fields.push((name.into(), value.into()));
        self
    }
}

impl fmt::Debug for LogoutForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogoutForm")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// The platform's login, handed to the console.
///
/// A session kept in a cookie should be `HttpOnly`, `SameSite=Lax` or `Strict`, and `Secure` behind
/// TLS; [`cookie`](fn@crate::cookie) finds it. It ends on the server at a logout, at a new login in
/// the same browser, after inactivity, and some time after the login in any case. Passwords are
/// checked within the limits of `gatepost_keys::guesses`.
#[async_trait]
pub trait ConsoleLogin: fmt::Debug + Send + Sync + 'static {
    /// Who is logged in, judging by the head of the request; `None` for nobody. If it panics or
    /// takes longer than five seconds, the request fails with 503.
    ///
    /// A page that is open asks every few seconds for what is new. That is a [`Visit::Poll`], and
    /// must not prolong a session that ends after inactivity (SPEC 5.1 rule 3): nobody may be
    /// there.
    async fn who(&self, request: &Parts, visit: Visit) -> Option<LoggedIn>;

    /// The address from which the user came, for a log of changes; not known by default. Behind a
    /// proxy it is the proxy's word, if that is trusted: `TrustedProxies::client` says.
    fn address(&self, _request: &Parts) -> Option<IpAddr> {
        None
    }

    /// The address of the login page. `back` is the path and query to return to: one for which
    /// [`local_path`](fn@crate::local_path) says yes. What the login page receives may be
    /// anybody's, so ask that function there, too.
    fn login_url(&self, back: &str) -> String;

    /// The form that logs this user out; `None`, the default, shows no button. The platform takes
    /// it by `POST` alone, and only with its fields.
    fn logout(&self, _user: &LoggedIn) -> Option<LogoutForm> {
        None
    }
}
