//! What happens before and after every page: login, powers, forged requests, headers of the answer.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequest, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use bytes::Bytes;
use gatepost_keys::{Account, AccountAnswer, AccountsError, Principal, Via};
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};

use super::{Ctx, LoggedIn};
use crate::Console;
use crate::failure::Failure;
use crate::form::Form;

/// How long the host may take to say what a user may do.
const PATIENCE: Duration = Duration::from_secs(5);

/// Only what we serve ourselves, no script or style within a page, in nobody's frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// Lets a request through that a logged-in user sent from one of our pages.
pub(crate) async fn guard(
    State(console): State<Console>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let safe = matches!(parts.method, Method::GET | Method::HEAD);
    let Some(user) = console.inner.login.who(&parts).await else {
        let back = parts.extensions.get::<axum::extract::OriginalUri>();
        let back = back.map_or(&parts.uri, |original| &original.0);
        let back = back.path_and_query().map_or("/", |path| path.as_str());
        let url = console
            .inner
            .login
            .login_url(if safe { back } else { &console.inner.base });
        return if safe {
            Redirect::to(&url).into_response()
        } else {
            Failure::LoggedOut(url).bare(Some(&console))
        };
    };
    let account = match account(&console, &user).await {
        Ok(Some(account)) if account.enabled => account,
        Ok(_) => return Failure::Forbidden.bare(Some(&console)),
        Err(error) => return Failure::from(error).bare(Some(&console)),
    };
    let ctx = Ctx {
        principal: Arc::new(Principal::new(user.owner, account, Via::Platform)),
        name: user.name.as_str().into(),
        csrf: console.inner.csrf.token(&user.session).into(),
        console,
    };
    let mut request = Request::from_parts(parts, body);
    if !safe {
        request = match with_form(&ctx, &user, request).await {
            Ok(request) => request,
            Err(failure) => return failure.page(&ctx),
        };
    }
    request.extensions_mut().insert(ctx.clone());
    next.run(request).await
}

/// Reads the form, and refuses one that does not show the session's token.
async fn with_form(ctx: &Ctx, user: &LoggedIn, request: Request) -> Result<Request, Failure> {
    let (parts, body) = request.into_parts();
    if from_elsewhere(&parts.headers) || !is_form(&parts.headers) {
        return Err(Failure::Forged);
    }
    let request = Request::from_parts(parts.clone(), body);
    let bytes = Bytes::from_request(request, &())
        .await
        .map_err(|_| Failure::TooLarge)?;
    let form = Form::parse(&bytes);
    if !ctx
        .console
        .inner
        .csrf
        .is_token(&user.session, form.text("csrf"))
    {
        return Err(Failure::Forged);
    }
    let mut request = Request::from_parts(parts, axum::body::Body::empty());
    request.extensions_mut().insert(form);
    Ok(request)
}

/// Whether the browser says that another site sent this.
fn from_elsewhere(headers: &HeaderMap) -> bool {
    headers
        .get("sec-fetch-site")
        .is_some_and(|site| site != "same-origin" && site != "none")
}

fn is_form(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|kind| {
            kind.trim()
                .eq_ignore_ascii_case("application/x-www-form-urlencoded")
        })
}

async fn account(console: &Console, user: &LoggedIn) -> Result<Option<Account>, AccountsError> {
    match console.inner.keys.accounts().account(user.owner) {
        AccountAnswer::Now(answer) => answer,
        AccountAnswer::Later(answer) => tokio::time::timeout(PATIENCE, answer)
            .await
            .unwrap_or_else(|_| Err(AccountsError("no answer within 5 seconds".into()))),
    }
}

/// Puts the headers on every answer. What an answer says of caching itself stands.
pub(crate) async fn protect(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(header::REFERRER_POLICY, "same-origin");
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(header::CACHE_CONTROL, "no-store");
    set(
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    );
    set(
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    );
    response
}
