//! The pages of links that open the console: for a platform that has an API and no pages.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use gatepost_storage::StoreError;
use http::{HeaderMap, StatusCode, header};
use maud::{Markup, html};

use crate::context::ConsoleState;
use crate::failure::Failure;
use crate::form::{Form, Query};
use crate::guard::{from_elsewhere, is_form, sessions_failed};
use crate::layout;
use crate::link_sessions::{LOGOUT, Links, OPEN};
use crate::login::cookie;

/// The largest form, in bytes: a secret and a little more.
const MAX_FORM: usize = 4 * 1024;

type Linked = (Arc<ConsoleState>, Links);

/// Returns the routes, which need no session.
pub(crate) fn routes(console: Arc<ConsoleState>, links: Links) -> Router {
    Router::new()
        .route(OPEN, get(show).post(open))
        .route(LOGOUT, post(log_out))
        .layer(DefaultBodyLimit::max(MAX_FORM))
        .with_state((console, links))
}

/// Shows the button that opens the console. This does not use up the link: a program that fetches
/// an address to show a preview must not open a session.
async fn show(State((console, links)): State<Linked>, Query(query): Query) -> Response {
    link_page(&console, &links, query.text("link")).await
}

async fn link_page(console: &ConsoleState, links: &Links, link: &str) -> Response {
    let texts = &console.texts;
    let said = |status, title: &str, text: &str| {
        let body = html! { p { (texts.of(text)) } };
        without_referrer(status, layout::bare(console, &texts.of(title), &body))
    };
    if link.is_empty() {
        return said(
            StatusCode::UNAUTHORIZED,
            "frame-link-needed",
            "frame-link-needed-text",
        );
    }
    let now = console.clock.now();
    match links.of(link, now).await {
        Ok(Some(session)) => {
            let user = layout::seen(&session.name);
            let body = html! {
                p { (texts.with("frame-link-open-text", &[("user", user.into())])) }
                form method="post" action=(console.at(OPEN)) {
                    input type="hidden" name="link" value=(link);
                    button.primary { (texts.of("frame-link-open")) }
                }
            };
            let page = layout::bare(console, &texts.of("frame-link-open"), &body);
            without_referrer(StatusCode::OK, page)
        }
        Ok(None) => said(StatusCode::GONE, "frame-link-used", "frame-link-used-text"),
        Err(error) => unavailable(console, &error),
    }
}

/// Uses the link up, and opens a session.
async fn open(State((console, links)): State<Linked>, headers: HeaderMap, body: Bytes) -> Response {
    // Another site must not open another user's session in this browser.
    let Some(form) = own_form(&headers, body).await else {
        return Failure::Forged(None).bare(&console);
    };
    match links
        .opened(&headers, form.text("link"), console.clock.now())
        .await
    {
        Ok(Some(secret)) => {
            let home = Redirect::to(&console.at("/"));
            (links.set_cookie(&secret, ""), home).into_response()
        }
        Ok(None) => link_page(&console, &links, form.text("link")).await,
        Err(error) => unavailable(&console, &error),
    }
}

async fn log_out(
    State((console, links)): State<Linked>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let own = cookie(&headers, links.cookie()).unwrap_or_default();
    let is_own = |form: &Form| console.csrf.is_token(own, form.text("csrf"));
    if !own_form(&headers, body).await.as_ref().is_some_and(is_own) {
        return Failure::Forged(None).bare(&console);
    }
    match links.end(&headers).await {
        Ok(()) => {
            let out = Redirect::to(&console.at(OPEN));
            (links.set_cookie("", "; Max-Age=0"), out).into_response()
        }
        Err(error) => unavailable(&console, &error),
    }
}

/// Returns the form, unless another site sent it.
async fn own_form(headers: &HeaderMap, body: Bytes) -> Option<Form> {
    match !from_elsewhere(headers) && is_form(headers) {
        true => Form::read(body).await.ok(),
        false => None,
    }
}

fn unavailable(console: &ConsoleState, error: &StoreError) -> Response {
    sessions_failed(error).bare(console)
}

/// The address of the page contains a secret, which must not reach another site.
fn without_referrer(status: StatusCode, page: Markup) -> Response {
    let none = [(header::REFERRER_POLICY, "no-referrer")];
    (status, none, page).into_response()
}
