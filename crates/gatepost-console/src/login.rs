//! The platform's login, as the console asks for it.

use std::fmt;

use async_trait::async_trait;
use http::request::Parts;
use webhook_model::OwnerId;

/// A user that the platform has logged in.
#[derive(Clone)]
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

impl fmt::Debug for LoggedIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoggedIn")
            .field("owner", &self.owner)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The platform's login, handed to the console.
///
/// A session kept in a cookie should be `HttpOnly`, `SameSite=Lax` or `Strict`, and `Secure` behind
/// TLS.
#[async_trait]
pub trait ConsoleLogin: fmt::Debug + Send + Sync + 'static {
    /// Who is logged in, judging by the head of the request; `None` for nobody. If it panics or
    /// takes longer than five seconds, the request fails with 503.
    async fn who(&self, request: &Parts) -> Option<LoggedIn>;

    /// The address of the login page. `back` is the path and query to return to.
    fn login_url(&self, back: &str) -> String;

    /// The address to which a form without fields is posted to log out; `None` shows no button.
    fn logout_url(&self) -> Option<String> {
        None
    }
}
