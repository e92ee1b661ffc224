//! The detection of requests without a key.

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};

/// Returns whether no `Authorization` field can hold a key: there is none, or each holds
/// credentials of another scheme (RFC 9110 §11.4). A key without its scheme is a wrong key.
pub(super) fn brings_no_key(headers: &HeaderMap) -> bool {
    headers
        .get_all(AUTHORIZATION)
        .iter()
        .all(is_of_another_scheme)
}

fn is_of_another_scheme(value: &HeaderValue) -> bool {
    let value = value.as_bytes();
    let end = value.iter().position(|byte| *byte == b' ');
    let scheme = end.map(|end| value.split_at(end).0);
    scheme.is_some_and(|scheme| !scheme.is_empty() && !scheme.eq_ignore_ascii_case(b"bearer"))
}
