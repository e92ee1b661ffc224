//! A line in the log for each request: who asked for what, and what became of it.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Request};
use axum::http::Uri;
use axum::middleware::Next;
use axum::response::Response;
use gatepost_keys::{Principal, Via};
use tokio::time::Instant;

/// What a subscriber names to have these lines, or not: `request=warn`.
const LOG: &str = "request";
/// A longer part of a path may be a token or a key, of which so much is shown.
const SEGMENT: usize = 20;
const SHOWN: usize = 4;
/// The longest path, in bytes.
const PATH: usize = 200;

/// Runs a request and logs it, once the head of its response is there. The caller is known where a
/// guard has put it into the response's extensions.
pub(crate) async fn logged(
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let (method, path) = (request.method().clone(), shown(request.uri()));
    let began = Instant::now();
    let response = next.run(request).await;
    let caller = response.extensions().get::<Principal>();
    let key = caller.and_then(|caller| match caller.via {
        Via::Key(key) => Some(key.0),
        _ => None,
    });
    let ms = began.elapsed().as_secs_f64() * 1000.0;
    let id = response.headers().get("x-request-id");
    tracing::info!(
        target: LOG,
        status = response.status().as_u16(),
        ms = (ms * 10.0).round() / 10.0,
        user = caller.map(|caller| tracing::field::display(caller.owner)),
        key,
        from = %peer.ip(),
        id = id.and_then(|id| id.to_str().ok()),
        // A client may invent any method.
        "{:.7} {path}", method.as_str()
    );
    response
}

/// The path without its query, which may hold anything, and without what may be a secret in it.
fn shown(uri: &Uri) -> String {
    let mut path = String::new();
    for segment in uri.path().split('/').skip(1) {
        path.push('/');
        match segment.char_indices().nth(SEGMENT) {
            None => path.push_str(segment),
            Some(_) => path.extend(segment.chars().take(SHOWN).chain(['…'])),
        }
        if path.len() > PATH {
            path.push('…');
            break;
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shown_without_secrets_and_of_bounded_length() {
        for (uri, expected) in [
            ("/", "/"),
            ("/api/v4/keys/1?filter=s3cret", "/api/v4/keys/1"),
            (
                "/api/sys/tokens/0123456789abcdef0123456789",
                "/api/sys/tokens/0123…",
            ),
            ("/a/b/", "/a/b/"),
            ("http://example.com/x?y", "/x"),
        ] {
            assert_eq!(shown(&uri.parse().unwrap()), expected);
        }
        let long = "/abcdefgh".repeat(1000);
        assert!(shown(&long.parse().unwrap()).len() < PATH + 2 * SEGMENT);
    }
}
