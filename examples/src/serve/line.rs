//! One line in the log for each request: its caller, its path, and its outcome.

use std::net::IpAddr;

use axum::http::{Method, Request, Response, Uri};
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

/// A request, until its response is there.
#[derive(Debug)]
pub(super) struct Line {
    method: Method,
    path: String,
    from: IpAddr,
    began: Instant,
}

impl Line {
    /// Begins the line; `None` if no subscriber reads these lines.
    pub(super) fn of<B>(request: &Request<B>, from: IpAddr) -> Option<Self> {
        tracing::enabled!(target: LOG, tracing::Level::INFO).then(|| Self {
            method: request.method().clone(),
            path: shown(request.uri()),
            from,
            began: Instant::now(),
        })
    }

    /// Logs the line when the head of the response is there. The user is known if a guard has put
    /// it into the extensions.
    pub(super) fn end<B>(self, response: &Response<B>) {
        let who = response.extensions().get::<Principal>();
        let key = who.and_then(|who| match who.via {
            Via::Key(key) => Some(key.0),
            _ => None,
        });
        let ms = self.began.elapsed().as_secs_f64() * 1000.0;
        tracing::info!(
            target: LOG,
            status = response.status().as_u16(),
            ms = (ms * 10.0).round() / 10.0,
            user = who.map(|who| tracing::field::display(who.owner)),
            key,
            from = %self.from,
            "{} {}", method(&self.method), self.path
        );
    }
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
