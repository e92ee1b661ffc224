//! The checks before and after every page: login, account, forged requests, response headers.

use std::error::Error;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::{FromRequest, OriginalUri, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use bytes::Bytes;
use gatepost_manage::{Via, Visit};
use gatepost_storage::StoreError;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use url::Url;

use crate::api_url::api_url;
use crate::context::{ConsoleState, PageContext};
use crate::done;
use crate::done::{is_told, without_keys};
use crate::failure::{Failure, in_layout};
use crate::form::Form;
use crate::kept::{AGAIN, Kept, MAX_KEPT};
use crate::layout::LIVE;
use crate::link_sessions::{LOGOUT, Login, OPEN};
use crate::login::{LoggedIn, LogoutForm, local_path};

/// Allows only the console's own files, no inline script or style, and no framing.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'none'";

/// Lets a request through that a logged-in user sent from a page of the console.
pub(crate) async fn guard(
    State(console): State<Arc<ConsoleState>>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let safe = matches!(parts.method, Method::GET | Method::HEAD);
    // This comes before the login, which leads back to the address. The path must not begin with
    // two slashes, which browsers read as another site.
    let (path, home) = (console.at(parts.uri.path()), console.at("/"));
    let path = local_path(&path).unwrap_or(&home);
    if safe && let Some(to) = without_keys(&parts.uri, path) {
        let mut response = Redirect::to(&to).into_response();
        done::remember(&console, &mut response);
        return response;
    }
    let user = match who(&console, &parts).await {
        Ok(user) => user,
        Err(failure) => return failure.bare(&console),
    };
    let Some(user) = user else {
        return to_login(&console, Request::from_parts(parts, body)).await;
    };
    let is_done = safe && done::admit(&mut parts);
    let from = address(&console, &parts);
    let principal = match console.management.log_in(user.owner, Via::Platform).await {
        Ok(Some(principal)) => match from {
            Some(from) => principal.with_address(from),
            None => principal,
        },
        Ok(None) => return Failure::Forbidden.bare(&console),
        Err(error) => return Failure::from(error).bare(&console),
    };
    let path = parts.uri.path();
    let mut ctx = PageContext {
        actor: console.management.of(&principal),
        name: user.name.as_str().into(),
        csrf: console.csrf.token(&user.session).into(),
        path: path.strip_suffix(AGAIN).unwrap_or(path).into(),
        api: api_url(console.api.as_ref(), original(&parts), &parts.headers).map(Into::into),
        key_withheld: is_done && is_told(&parts.uri),
        is_sent: false,
        logout: logout_form(&console, &user).map(Arc::new),
        console,
    };
    let mut request = Request::from_parts(parts, body);
    if !safe {
        request = match with_form(&ctx, &user, request).await {
            Ok(request) => request,
            Err(failure) => return failure.page(&ctx),
        };
        ctx.is_sent = true;
    }
    request.extensions_mut().insert(ctx.clone());
    let mut response = in_layout(&ctx, next.run(request).await);
    if is_done {
        done::forget(&ctx.console, &mut response);
    }
    done::remember(&ctx.console, &mut response);
    // For the platform's log of requests.
    response.extensions_mut().insert(principal);
    response
}

async fn who(console: &ConsoleState, parts: &Parts) -> Result<Option<LoggedIn>, Failure> {
    let visit = visit(parts);
    match &console.login {
        Login::Platform(login) => {
            let user = console.management.ask_platform(login.who(parts, visit));
            user.await.ok_or(Failure::Unavailable)
        }
        Login::Links(links) => {
            let user = links.who(&parts.headers, visit, console.clock.now());
            user.await.map_err(|error| sessions_failed(&error))
        }
    }
}

pub(crate) fn sessions_failed(error: &StoreError) -> Failure {
    tracing::error!(error = error as &dyn Error, "the store of sessions failed");
    Failure::Unavailable
}

fn login_url(console: &ConsoleState, back: &str) -> String {
    match &console.login {
        Login::Platform(login) => login.login_url(back),
        // The page says how to get a link.
        Login::Links(_) => console.at(OPEN),
    }
}

/// Returns the response to an unknown caller: for a page a redirection to the login, for a form the
/// typed values.
async fn to_login(console: &ConsoleState, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    // No user is there to log in: the script that polls shows that the session ended.
    if path.ends_with(LIVE) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let home = console.at("/");
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        let url = login_url(console, &home);
        let typed = match is_from_here(&parts.headers) && is_form(&parts.headers) {
            true => to_bytes(body, MAX_KEPT).await.ok(),
            false => None,
        };
        let form = match typed {
            Some(typed) => Form::read(typed).await.ok(),
            None => None,
        };
        let kept = form.and_then(|form| Kept::of(path, &form));
        return Failure::LoggedOut(url, kept).bare(console);
    }
    let back = original(&parts)
        .path_and_query()
        .and_then(|back| local_path(back.as_str()));
    Redirect::to(&login_url(console, back.unwrap_or(&home))).into_response()
}

/// Returns the requested address, with the path of the console.
fn original(parts: &Parts) -> &Uri {
    let original = parts.extensions.get::<OriginalUri>();
    original.map_or(&parts.uri, |original| &original.0)
}

/// Returns the kind of visit. Live parts are polls, whether the script says so or not.
fn visit(parts: &Parts) -> Visit {
    if parts.uri.path().ends_with(LIVE) {
        return Visit::Poll;
    }
    Visit::of(&parts.headers)
}

/// Returns the user's address from the platform; `None` if the platform panics.
fn address(console: &ConsoleState, parts: &Parts) -> Option<IpAddr> {
    match &console.login {
        Login::Platform(login) => catch_unwind(AssertUnwindSafe(|| login.address(parts))).ok()?,
        Login::Links(_) => None,
    }
}

/// Returns the platform's form for logging out; `None` if the platform panics.
fn logout_form(console: &ConsoleState, user: &LoggedIn) -> Option<LogoutForm> {
    match &console.login {
        Login::Platform(login) => catch_unwind(AssertUnwindSafe(|| login.logout(user))).ok()?,
        Login::Links(_) => {
            let token = console.csrf.token(&user.session);
            Some(LogoutForm::new(console.at(LOGOUT)).with_field("csrf", token))
        }
    }
}

/// Reads the form, and refuses one without the session's token.
async fn with_form(
    ctx: &PageContext,
    user: &LoggedIn,
    request: Request,
) -> Result<Request, Failure> {
    let (parts, body) = request.into_parts();
    if from_elsewhere(&parts.headers) || !is_form(&parts.headers) {
        return Err(Failure::Forged(None));
    }
    let is_from_here = is_from_here(&parts.headers);
    let request = Request::from_parts(parts.clone(), body);
    let bytes = Bytes::from_request(request, &())
        .await
        .map_err(|_| Failure::TooLarge)?;
    let form = Form::read(bytes).await.map_err(Failure::TooMuch)?;
    let path = parts.uri.path();
    let only_opens = path.ends_with(AGAIN) && is_from_here;
    if !only_opens && !ctx.console.csrf.is_token(&user.session, form.text("csrf")) {
        let kept = is_from_here.then(|| Kept::of(path, &form)).flatten();
        return Err(Failure::Forged(kept));
    }
    let mut request = Request::from_parts(parts, axum::body::Body::empty());
    request.extensions_mut().insert(form);
    Ok(request)
}

/// Whether the browser says that another site sent this.
pub(crate) fn from_elsewhere(headers: &HeaderMap) -> bool {
    headers
        .get("sec-fetch-site")
        .is_some_and(|site| site != "same-origin" && site != "none")
}

/// Whether the browser says that a page of this site sent this. Another site may have made a
/// browser that says nothing send it.
fn is_from_here(headers: &HeaderMap) -> bool {
    headers
        .get("sec-fetch-site")
        .is_some_and(|site| site == "same-origin")
}

pub(crate) fn is_form(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|kind| {
            kind.trim()
                .eq_ignore_ascii_case("application/x-www-form-urlencoded")
        })
}

/// Returns the policy of a console that these origins may show in a frame.
pub(crate) fn policy(framing: impl IntoIterator<Item = Url>) -> HeaderValue {
    let origins = framing.into_iter().map(|url| url.origin());
    let origins = origins.filter(url::Origin::is_tuple);
    let origins: Vec<_> = origins.map(|origin| origin.ascii_serialization()).collect();
    let none = HeaderValue::from_static(POLICY);
    if origins.is_empty() {
        return none;
    }
    let framed = format!("frame-ancestors {}", origins.join(" "));
    HeaderValue::try_from(POLICY.replace("frame-ancestors 'none'", &framed)).unwrap_or(none)
}

/// Sets the headers of every response. A response's own header for caching is kept.
pub(crate) async fn protect(
    State(console): State<Arc<ConsoleState>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set = |name, value| {
        headers.entry(name).or_insert(value);
    };
    if console.policy == POLICY {
        set(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    }
    set(header::CONTENT_SECURITY_POLICY, console.policy.clone());
    for (name, value) in [
        ("referrer-policy", "same-origin"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        set(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    response
}
