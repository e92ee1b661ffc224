//! Which headers a caller may give.

use http::{HeaderMap, HeaderName, HeaderValue};

use super::RequestError;

const MAX_HEADERS: usize = 200;
const MAX_BYTES: usize = 64 * 1024;

/// Headers of the connection or of the framing (RFC 9110 §7.6.1, RFC 9112 §6). Were a caller to
/// set them, one request could be read as two.
const RESERVED: [&str; 10] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Checks one header and appends it.
pub(super) fn append(
    headers: &mut HeaderMap,
    name: &str,
    value: &[u8],
    sensitive: bool,
) -> Result<(), RequestError> {
    let parsed = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| RequestError::HeaderName(name.to_owned()))?;
    if RESERVED.contains(&parsed.as_str()) {
        return Err(RequestError::ReservedHeader(name.to_owned()));
    }
    let mut value =
        HeaderValue::from_bytes(value).map_err(|_| RequestError::HeaderValue(name.to_owned()))?;
    value.set_sensitive(sensitive);
    headers
        .try_append(parsed, value)
        .map_err(|_| RequestError::TooManyHeaders)?;
    Ok(())
}

/// Bounds what a receiver has to take.
pub(super) fn check_size(headers: &HeaderMap) -> Result<(), RequestError> {
    let bytes: usize = headers
        .iter()
        .map(|(n, v)| n.as_str().len() + v.len() + 4)
        .sum();
    if headers.len() > MAX_HEADERS || bytes > MAX_BYTES {
        return Err(RequestError::TooManyHeaders);
    }
    Ok(())
}

/// Visible ASCII, not empty, at most 256 bytes: what an id may be made of.
pub(crate) fn is_text(text: &str) -> bool {
    (1..=256).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
}
