//! A login of the example's own: a page with a form, and a cookie. A platform has one already, and
//! writes only the `ConsoleLogin` below.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use axum::extract::{Query, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use gatepost_console::{ConsoleLogin, LoggedIn};
use tokio::time::Instant;
use webhook_model::OwnerId;

/// How long a session lasts without a request (SPEC 5.1 rule 3).
const IDLE: Duration = Duration::from_secs(30 * 60);
/// What a wrong password costs.
const PENALTY: Duration = Duration::from_millis(300);
const COOKIE: &str = "session";
const STYLE: &str = "body{font:14px/1.5 system-ui,sans-serif;max-width:20rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark}label{display:block;margin-bottom:1rem}input,button{font:inherit;display:block;width:100%;box-sizing:border-box;padding:.4rem;margin-top:.25rem}";

/// Who has this name and password.
type Check =
    dyn Fn(String, String) -> Pin<Box<dyn Future<Output = Option<OwnerId>> + Send>> + Send + Sync;

/// The sessions of one process, by the value of their cookie.
#[derive(Clone)]
pub struct Sessions {
    check: Arc<Check>,
    open: Arc<Mutex<HashMap<String, (LoggedIn, Instant)>>>,
    /// Behind TLS the cookie says so.
    secure: bool,
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sessions(…)")
    }
}

impl Sessions {
    /// No session yet. `check` judges name and password; `secure` is for a platform behind TLS.
    pub fn new<F>(secure: bool, check: impl Fn(String, String) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Option<OwnerId>> + Send + 'static,
    {
        Self {
            check: Arc::new(move |name, password| Box::pin(check(name, password))),
            open: Arc::default(),
            secure,
        }
    }

    /// `/login` and `/logout`.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/login", get(form).post(login))
            .route("/logout", post(logout))
            .with_state(self.clone())
    }

    /// The session of a request's cookie; to look at it keeps it alive.
    fn session(&self, headers: &HeaderMap) -> Option<LoggedIn> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        open.retain(|_, (_, used)| now - *used < IDLE);
        let (user, used) = open.get_mut(cookie(headers)?)?;
        *used = now;
        Some(user.clone())
    }
}

#[async_trait]
impl ConsoleLogin for Sessions {
    async fn who(&self, request: &Parts) -> Option<LoggedIn> {
        self.session(&request.headers)
    }

    fn login_url(&self, back: &str) -> String {
        let back: String = back.bytes().map(|b| format!("%{b:02X}")).collect();
        format!("/login?back={back}")
    }

    fn logout_url(&self) -> Option<String> {
        Some("/logout".into())
    }
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get(header::COOKIE)?.to_str().ok()?;
    cookies
        .split("; ")
        .find_map(|pair| pair.strip_prefix(COOKIE)?.strip_prefix('='))
}

/// Only a path of this site: nobody is sent elsewhere after the login.
fn local(back: Option<&String>) -> &str {
    back.map(String::as_str)
        .filter(|path| {
            path.starts_with('/') && !path.starts_with("//") && !path.contains(['\\', '\r', '\n'])
        })
        .unwrap_or("/console/")
}

async fn form(Query(query): Query<HashMap<String, String>>) -> Response {
    page(StatusCode::OK, local(query.get("back")), "")
}

fn page(status: StatusCode, back: &str, wrong: &str) -> Response {
    let back = back
        .replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;");
    let html = format!(
        "<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>Log in</title><style>{STYLE}</style><main><h1>Log in</h1><p role=alert>{wrong}</p><form method=post action=/login><input type=hidden name=back value=\"{back}\"><label>User<input name=user autocomplete=username autofocus></label><label>Password<input type=password name=password autocomplete=current-password></label><button>Log in</button></form></main></html>"
    );
    let policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
    let headers = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (status, headers, Html(html)).into_response()
}

async fn login(
    State(sessions): State<Sessions>,
    headers: HeaderMap,
    Form(sent): Form<HashMap<String, String>>,
) -> Response {
    let text = |name: &str| sent.get(name).map(String::as_str).unwrap_or_default();
    let back = local(sent.get("back"));
    // Another site must not log a visitor in as somebody else.
    let elsewhere = headers
        .get("sec-fetch-site")
        .is_some_and(|site| site != "same-origin" && site != "none");
    let user = text("user");
    let found = (sessions.check)(user.to_owned(), text("password").to_owned()).await;
    let found = found.filter(|_| !elsewhere);
    let Some(owner) = found else {
        tokio::time::sleep(PENALTY).await;
        return page(StatusCode::FORBIDDEN, back, "Wrong name or password.");
    };
    let token = format!(
        "{:032x}{:032x}",
        rand::random::<u128>(),
        rand::random::<u128>()
    );
    let logged_in = LoggedIn {
        owner,
        name: user.to_owned(),
        session: token.clone(),
    };
    let mut open = sessions.open.lock().unwrap_or_else(PoisonError::into_inner);
    open.insert(token.clone(), (logged_in, Instant::now()));
    let secure = if sessions.secure { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Lax{secure}");
    ([(header::SET_COOKIE, cookie)], Redirect::to(back)).into_response()
}

async fn logout(State(sessions): State<Sessions>, headers: HeaderMap) -> Response {
    if let Some(token) = cookie(&headers) {
        let mut open = sessions.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.remove(token);
    }
    let gone = format!("{COOKIE}=; Path=/; Max-Age=0");
    ([(header::SET_COOKIE, gone)], Redirect::to("/login")).into_response()
}
