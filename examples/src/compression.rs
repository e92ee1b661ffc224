//! Compression of the responses that reveal nothing by their length.

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, header};
use axum::middleware::map_request;
use tower_http::compression::CompressionLayer;

/// Compresses responses to `GET` without a query with gzip, if the client accepts it. Others may
/// show a secret next to text that a stranger chose, and their length would reveal it (BREACH).
pub fn compressed(router: Router) -> Router {
    let router = router.layer(CompressionLayer::new());
    router.layer(map_request(compressible))
}

async fn compressible(mut request: Request) -> Request {
    if request.method() != Method::GET || request.uri().query().is_some() {
        request.headers_mut().remove(header::ACCEPT_ENCODING);
    }
    request
}
