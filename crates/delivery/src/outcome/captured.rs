//! The part of a response that is kept.

use std::fmt;

use bytes::Bytes;
use http::HeaderMap;

/// The headers of a response, as they came: bytes, in order within one name.
#[derive(Clone, Default, Eq, PartialEq)]
pub struct CapturedHead {
    pub(crate) headers: HeaderMap,
}

impl CapturedHead {
    /// All headers; names are lower case, values may be any bytes but controls.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
    }

    /// The only value of a header; `None` when it is missing or is given more than once.
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
    /// Shows names only: a value may be a cookie or a token of the receiver's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.headers.keys()).finish()
    }
}

/// The first bytes of a response's body, as they came: never decompressed.
#[derive(Clone, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct CapturedBody {
    /// The bytes, at most as many as the sender's capture limit (16 KiB by default).
    pub bytes: Bytes,
    /// Whether more was coming, or would have come had the connection held.
    pub truncated: bool,
}

impl CapturedBody {
    /// The bytes as text; what is not UTF-8 becomes U+FFFD, and control characters other than tab
    /// and line feed become U+FFFD too, so that the text is inert in a log or a terminal.
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
