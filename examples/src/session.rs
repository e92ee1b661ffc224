//! The example's own login: a page with a form, and a cookie. A platform that already has a login
//! writes only the `ConsoleLogin` below.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::{ConnectInfo, Query, State};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use gatepost_console::{ConsoleLogin, LoggedIn, LogoutForm, Visit, cookie, local_path};
use gatepost_ids::trim_pasted;
use gatepost_keys::{GuessLimiter, OwnerId};
use gatepost_storage::{Clock, SystemClock};
use url::form_urlencoded::byte_serialize;

use crate::login_page::page;
use crate::open_sessions::{OpenSessions, Session};
use crate::passwords::Checked;

/// The name of the cookie; behind TLS it has a prefix, so that no other site and no page without
/// TLS can set it.
const COOKIE: &str = "session";
const SECURE_COOKIE: &str = "__Host-session";
/// The path that a login leads to if it names none to return to.
const HOME: &str = "/console/";
/// The field of the form that logs out.
const TOKEN: &str = "logout";

/// Returns the user of this name and password.
type Check = dyn Fn(String, String) -> Pin<Box<dyn Future<Output = Checked> + Send>> + Send + Sync;
type Fields = HashMap<String, String>;

/// The sessions of one process, by the value of their cookie.
#[derive(Clone)]
pub struct Sessions {
    check: Arc<Check>,
    guesses: GuessLimiter,
    open: Arc<OpenSessions>,
    /// Whether the cookie is for TLS only.
    secure: bool,
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sessions(…)")
    }
}

impl Sessions {
    /// Creates the sessions; none is open. `check` checks name and password, after `guesses`, the
    /// limiter of the key service, has allowed it; `secure` is for a platform behind TLS.
    pub fn new<F>(
        secure: bool,
        guesses: GuessLimiter,
        check: impl Fn(String, String) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output: Into<Checked>> + Send + 'static,
    {
        Self {
            check: Arc::new(move |name, password| {
                let checked = check(name, password);
                Box::pin(async move { checked.await.into() })
            }),
            guesses,
            open: Arc::new(OpenSessions::new(Arc::new(SystemClock))),
            secure,
        }
    }

    /// Sets another clock than the machine's. Must be called before any session is opened.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.open = Arc::new(OpenSessions::new(clock));
        self
    }

    /// Returns the routes `/login` and `/logout`.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/login", get(form).post(login))
            .route("/logout", post(logout))
            .with_state(self.clone())
    }

    /// Returns the user of the session that a request carries.
    pub(crate) fn user(&self, headers: &HeaderMap) -> Option<OwnerId> {
        let (_, session) = self.session(headers, Visit::Poll)?;
        Some(session.owner)
    }

    fn session(&self, headers: &HeaderMap, visit: Visit) -> Option<(String, Session)> {
        let secret = cookie(headers, self.cookie_name())?;
        Some((secret.to_owned(), self.open.find(secret, visit)?))
    }

    /// Ends the session of a request.
    fn end(&self, headers: &HeaderMap) {
        if let Some(secret) = cookie(headers, self.cookie_name()) {
            self.open.end(secret);
        }
    }

    fn cookie_name(&self) -> &'static str {
        if self.secure { SECURE_COOKIE } else { COOKIE }
    }

    fn set_cookie(&self, value: &str, more: &str) -> [(HeaderName, String); 1] {
        let (name, secure) = (
            self.cookie_name(),
            if self.secure { "; Secure" } else { "" },
        );
        let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{more}");
        [(header::SET_COOKIE, cookie)]
    }
}

#[async_trait]
impl ConsoleLogin for Sessions {
    async fn who(&self, request: &Parts, visit: Visit) -> Option<LoggedIn> {
        let (secret, session) = self.session(&request.headers, visit)?;
        Some(LoggedIn::new(
            session.owner,
            session.name.to_string(),
            secret,
        ))
    }

    fn address(&self, request: &Parts) -> Option<IpAddr> {
        let peer = request.extensions.get::<ConnectInfo<SocketAddr>>()?;
        Some(peer.0.ip())
    }

    fn login_url(&self, back: &str) -> String {
        let back: String = byte_serialize(back.as_bytes()).collect();
        format!("/login?back={back}")
    }

    fn logout(&self, user: &LoggedIn) -> Option<LogoutForm> {
        let session = self.open.find(&user.session, Visit::Poll)?;
        let token = session.form_token.to_string();
        Some(LogoutForm::new("/logout").with_field(TOKEN, token))
    }
}

async fn form(Query(query): Query<Fields>) -> Response {
    page(StatusCode::OK, back(&query), "")
}

/// Returns the path to continue at: only a path of this site, so that a login leads nowhere else.
fn back(sent: &Fields) -> &str {
    let back = sent.get("back").and_then(|back| local_path(back));
    back.unwrap_or(HOME)
}

async fn login(
    State(sessions): State<Sessions>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    uri: Uri,
    headers: HeaderMap,
    Form(sent): Form<Fields>,
) -> Response {
    let text = |name: &str| sent.get(name).cloned().unwrap_or_default();
    // Another site must not log a visitor in as somebody else.
    if from_elsewhere(&headers, &uri) {
        return page(StatusCode::FORBIDDEN, HOME, "Log in on this page.");
    }
    let user = trim_pasted(&text("user")).to_owned();
    let attempt = match sessions.guesses.attempt(&user, peer.ip()) {
        Ok(attempt) => attempt,
        Err(retry) => {
            let wait = format!(
                "Too many failed logins. Try again in {} s.",
                retry.seconds()
            );
            let refused = page(StatusCode::TOO_MANY_REQUESTS, back(&sent), &wait);
            return (
                [(header::RETRY_AFTER, retry.seconds().to_string())],
                refused,
            )
                .into_response();
        }
    };
    let owner = match (sessions.check)(user.clone(), text("password")).await {
        Checked::Good(owner) => owner,
        Checked::Wrong => {
            drop(attempt);
            let wrong = "Wrong name or password.";
            return page(StatusCode::FORBIDDEN, back(&sent), wrong);
        }
        Checked::Busy => {
            attempt.kept_waiting();
            let busy = "Too many log in at the moment. Try again.";
            return page(StatusCode::SERVICE_UNAVAILABLE, back(&sent), busy);
        }
    };
    attempt.succeeded();
    // An earlier session of this browser ends, of any user.
    sessions.end(&headers);
    let secret = sessions.open.open(owner, &user);
    (sessions.set_cookie(&secret, ""), Redirect::to(back(&sent))).into_response()
}

/// Ends the session, if the form carries its token.
async fn logout(
    State(sessions): State<Sessions>,
    uri: Uri,
    headers: HeaderMap,
    Form(sent): Form<Fields>,
) -> Response {
    let session = sessions.session(&headers, Visit::Poll);
    let token = sent.get(TOKEN).map(String::as_str);
    let is_own = |session: &Session| token == Some(&*session.form_token);
    if from_elsewhere(&headers, &uri) || session.is_some_and(|(_, session)| !is_own(&session)) {
        return (StatusCode::FORBIDDEN, "Log out by the button of a page.").into_response();
    }
    sessions.end(&headers);
    (
        sessions.set_cookie("", "; Max-Age=0"),
        Redirect::to("/login"),
    )
        .into_response()
}

/// Returns whether the browser says that another site sent this request: as the console does for
/// its forms.
///
/// Without TLS the browser names only the origin. Then its host is compared with those by which
/// clients or the proxy called the platform, which no page can change. Ports are left out: proxies
/// leave them out of `Host`, and cookies ignore them.
fn from_elsewhere(headers: &HeaderMap, uri: &Uri) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return site != "same-origin" && site != "none";
    }
    let Some(origin) = headers.get(header::ORIGIN) else {
        return false;
    };
    let origin = origin.to_str().ok().and_then(|text| text.split_once("://"));
    let Some(origin) = origin.and_then(|(_, place)| host(place)) else {
        return true;
    };
    let called = [header::HOST, HeaderName::from_static("x-forwarded-host")];
    let called = called.iter().flat_map(|name| headers.get_all(name));
    let called = called.filter_map(|value| value.to_str().ok());
    let called = called.flat_map(|value| value.split(','));
    let mut hosts = called.chain(uri.authority().map(Authority::as_str));
    !hosts.any(|place| host(place).is_some_and(|host| host.eq_ignore_ascii_case(&origin)))
}

fn host(place: &str) -> Option<String> {
    let place: Authority = place.trim().parse().ok()?;
    Some(place.host().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn login_behind_proxy_is_from_here() {
        let site = ("sec-fetch-site", "same-origin");
        let backend = ("host", "127.0.0.1:8080");
        let forwarded = ("x-forwarded-host", "acme.example:8443");
        let origin = ("origin", "https://acme.example:8443");
        for (headers, elsewhere) in [
            // nginx: `proxy_set_header Host $host`, and Apache as it is.
            (&[site, ("host", "acme.example"), origin][..], false),
            (&[site, backend, origin], false),
            // Without TLS.
            (&[("host", "acme.example"), origin], false),
            (&[backend, forwarded, origin], false),
            (&[("host", "acme.example:8443"), origin], false),
            (&[backend, origin], true),
            (
                &[("host", "acme.example"), ("origin", "http://evil.example")],
                true,
            ),
            (&[("host", "acme.example"), ("origin", "null")], true),
            (
                &[("sec-fetch-site", "cross-site"), ("host", "acme.example")],
                true,
            ),
            (&[("sec-fetch-site", "same-site"), forwarded, origin], true),
            (&[("host", "acme.example")], false),
        ] {
            let headers = headers
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
            let headers: HeaderMap = headers.collect();
            let uri = Uri::from_static("/login");
            assert_eq!(from_elsewhere(&headers, &uri), elsewhere, "{headers:?}");
        }
    }
}
