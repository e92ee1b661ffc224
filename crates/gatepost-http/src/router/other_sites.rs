//! Protection from forged requests: a page of another site makes a browser send a request, to which
//! the browser adds a login by itself, such as a cookie or a saved password.
//!
//! A browser never adds a key. It first asks whether this site allows requests by scripts of
//! another (CORS), unless a form could send the request as well; this module does not change that.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use gatepost_keys::{Principal, Via};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method};

use crate::error::{ApiError, Result};

const REFUSED: &str = "Sent by a page of another site: send JSON as application/json";
/// The header in which a browser names the kind of sending page (Fetch Metadata).
const SITE: &str = "sec-fetch-site";

/// Refuses a request that would change something, and that a form of another site could send.
pub(super) fn change_nothing(request: &Request) -> Result<()> {
    // No form sends another method that changes something.
    let by_form = request.method() == Method::POST && !is_json(request.headers());
    if by_form && is_forged(request) {
        return Err(ApiError::refused(REFUSED.to_owned()));
    }
    Ok(())
}

/// Refuses such requests on a route that changes something although its method is safe: an image
/// could send it.
pub(super) async fn ask_nothing(request: Request, next: Next) -> Response {
    if is_forged(&request) {
        return ApiError::refused(REFUSED.to_owned()).into_response();
    }
    next.run(request).await
}

/// Returns whether the browser indicates that another site sent this, with a login that it may have
/// added.
fn is_forged(request: &Request) -> bool {
    let mut pages = request.headers().get_all(SITE).iter();
    let caller = request.extensions().get::<Principal>();
    pages.any(|page| page != "same-origin" && page != "none")
        && caller.is_none_or(|caller| !matches!(caller.via, Via::Key(_)))
}

/// Returns whether the content type is one that no form can send.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}
