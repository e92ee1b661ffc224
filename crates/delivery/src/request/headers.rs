//! The headers of a request: in the order and the case in which they were given.

use std::fmt;

use http::header::HOST;
use http::{HeaderName, HeaderValue};

use super::error::RequestError;

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

/// One header, checked.
#[derive(Clone)]
pub(crate) struct Header {
    /// The name as it was written.
    pub(crate) written: Box<str>,
    /// The name as it is compared.
    pub(crate) name: HeaderName,
    pub(crate) value: HeaderValue,
}

/// All headers of a request. A list and not a map: a map would bring repeated names together.
#[derive(Clone, Default)]
pub(crate) struct Headers(Vec<Header>);

impl Headers {
    /// Checks one header and appends it.
    pub(super) fn append(
        &mut self,
        name: &str,
        value: &[u8],
        sensitive: bool,
    ) -> Result<(), RequestError> {
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| RequestError::HeaderName(name.to_owned()))?;
        if RESERVED.contains(&parsed.as_str()) {
            return Err(RequestError::ReservedHeader(name.to_owned()));
        }
        let mut value = HeaderValue::from_bytes(value)
            .map_err(|_| RequestError::HeaderValue(name.to_owned()))?;
        value.set_sensitive(sensitive);
        self.0.push(Header {
            written: name.into(),
            name: parsed,
            value,
        });
        Ok(())
    }

    /// Sets `Host` as the first header, as RFC 9110 §7.2 requires, and removes an existing one.
    pub(super) fn set_host(&mut self, value: HeaderValue) {
        self.0.retain(|header| header.name != HOST);
        self.0.insert(
            0,
            Header {
                written: "Host".into(),
                name: HOST,
                value,
            },
        );
    }

    /// Limits the size of the headers for the receiver.
    pub(super) fn check_size(&self) -> Result<(), RequestError> {
        let bytes: usize = self
            .iter()
            .map(|header| header.written.len() + header.value.len() + 4)
            .sum();
        if self.len() > MAX_HEADERS || bytes > MAX_BYTES {
            return Err(RequestError::TooManyHeaders);
        }
        Ok(())
    }

    pub(super) fn retain(&mut self, keep: impl FnMut(&Header) -> bool) {
        self.0.retain(keep);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Header> {
        self.0.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn contains(&self, name: &HeaderName) -> bool {
        self.iter().any(|header| header.name == name)
    }
}

impl fmt::Debug for Headers {
    /// Hides the values that are sensitive.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.iter().map(|header| (&header.written, &header.value));
        f.debug_map().entries(pairs).finish()
    }
}
