//! The captured part of a response.

use std::fmt;

use bytes::Bytes;
use http::HeaderMap;

/// The headers of a response as received: bytes, in order within one name.
#[derive(Clone, Default, Eq, PartialEq)]
pub struct CapturedHead {
    pub(crate) headers: HeaderMap,
}

impl CapturedHead {
    /// Returns all headers; names are lower case, values may be any bytes except controls.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
    }

    /// Returns the only value of a header; `None` if it is missing or repeated.
    #[must_use]
    pub fn only(&self, name: &str) -> Option<&[u8]> {
        let mut values = self.headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (Some(value), None) => Some(value.as_bytes()),
            _ => None,
        }
    }
}

impl fmt::Debug for CapturedHead {
    /// Shows names only: a value may be a cookie or a token of the receiver.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.headers.keys()).finish()
    }
}

/// The first bytes of a response's body as received: never decompressed.
#[derive(Clone, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct CapturedBody {
    /// The bytes, at most as many as the sender's capture limit (16 KiB by default).
    pub bytes: Bytes,
    /// Whether the body was longer, or the connection ended before its end.
    pub truncated: bool,
}

impl CapturedBody {
    /// Returns the bytes as text. Invalid UTF-8 and control characters other than tab and line feed
    /// become U+FFFD, so that the text is safe in a log or a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes)
            .chars()
            .map(|c| {
                if c.is_control() && c != '\n' && c != '\t' {
                    char::REPLACEMENT_CHARACTER
                } else {
                    c
                }
            })
            .collect()
    }
}

impl fmt::Debug for CapturedBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CapturedBody")
            .field("bytes", &self.bytes.len())
            .field("truncated", &self.truncated)
            .finish()
    }
}
