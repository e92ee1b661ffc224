//! One line in the log for each request: its caller, its path, and its outcome.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Request};
use axum::http::{Method, Uri};
use axum::middleware::Next;
use axum::response::Response;
use gatepost_keys::{Principal, Via};
use tokio::time::Instant;

/// The target of these lines in a subscriber's filter: `request=warn`.
const LOG: &str = "request";
/// A longer part of a path may be a token or a key.
const SEGMENT: usize = 20;
/// How many characters of such a part are shown.
const SHOWN: usize = 4;
/// The longest path, in bytes.
const PATH: usize = 200;

/// Logs the line when the head of the response is there. The user is known if a guard has put it
/// into the extensions.
pub(crate) async fn log(
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let (asked, path, began) = (
        request.method().clone(),
        shown(request.uri()),
        Instant::now(),
    );
    let response = next.run(request).await;
    let who = response.extensions().get::<Principal>();
    let key = who.and_then(|who| match who.via {
        Via::Key(key) => Some(key.0),
        _ => None,
    });
    let ms = began.elapsed().as_secs_f64() * 1000.0;
    tracing::info!(
        target: LOG,
        status = response.status().as_u16(),
        ms = (ms * 10.0).round() / 10.0,
        user = who.map(|who| tracing::field::display(who.owner)),
        key,
        from = %from.ip(),
        "{} {path}", method(&asked)
    );
    response
}

/// A client may invent any method.
fn method(method: &Method) -> &str {
    match method.as_str() {
        known if known.len() <= 7 => known,
        _ => "(other)",
    }
}

/// Returns the path without its query, which may hold anything, and without parts that may be
/// secrets.
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
    fn logged_path_hides_secrets_and_is_bounded() {
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
