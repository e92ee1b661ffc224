//! Headers of every response of the API.

use axum::http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use axum::response::Response;
use http::HeaderValue;

/// Sets headers so that no cache on the way stores a caller's response, and no browser guesses its
/// type.
pub(super) fn private(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
