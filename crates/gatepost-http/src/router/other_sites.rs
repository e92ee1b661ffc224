//! Requests that a page of another site makes a browser send, and to which the browser adds a login
//! by itself: a cookie, a password that it keeps for this site.
//!
//! A key is never added so. A browser asks first whether this site allows what a script of another
//! sends (CORS), unless a form could send it as well: that changes nothing here.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use gatepost_keys::{Principal, Via};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method};

use crate::error::ApiError;

const REFUSED: &str = "Sent by a page of another site: send JSON as application/json";
/// By which a browser says what kind of page sends (Fetch Metadata).
const SITE: &str = "sec-fetch-site";

/// Refuses a request that would change something, and that a form of another site could send.
pub(super) fn change_nothing(request: &Request) -> Result<(), ApiError> {
    // No form sends another method that changes something.
    let by_form = request.method() == Method::POST && !is_json(request.headers());
    if by_form && is_forged(request) {
        return Err(ApiError::refused(REFUSED.to_owned()));
    }
    Ok(())
}

/// The same for a route that changes something though its method is safe: an image is enough.
pub(super) async fn ask_nothing(request: Request, next: Next) -> Response {
    if is_forged(&request) {
        return ApiError::refused(REFUSED.to_owned()).into_response();
    }
    next.run(request).await
}

/// Whether the browser says that another site sent this, by a login that it may have added itself.
fn is_forged(request: &Request) -> bool {
    let mut pages = request.headers().get_all(SITE).iter();
    let caller = request.extensions().get::<Principal>();
    pages.any(|page| page != "same-origin" && page != "none")
        && caller.is_none_or(|caller| !matches!(caller.via, Via::Key(_)))
}

/// What no form can send.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}
