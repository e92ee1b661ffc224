//! The request after a redirect.

use std::sync::Arc;

use http::header::{
    ACCEPT, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_TYPE, LOCATION, USER_AGENT,
};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::headers::Header;
use super::origin::Origin;
use super::ready::{Fixed, Request};
use super::request_target::request_target;

/// Headers that describe the message and contain no credential.
const HARMLESS: [HeaderName; 5] = [
    ACCEPT,
    CONTENT_ENCODING,
    CONTENT_LANGUAGE,
    CONTENT_TYPE,
    USER_AGENT,
];

impl Request {
    /// Returns the request to the location of a response, with the same method and body; `None` if
    /// there is none or it must not be followed.
    ///
    /// `303` asks for another request than this delivery. A redirect from `https` to `http` would
    /// reveal the message. A location with credentials is not followed.
    pub(crate) fn redirected(&self, status: u16, response: &HeaderMap) -> Option<Self> {
        if !matches!(status, 301 | 302 | 307 | 308) {
            return None;
        }
        let url = self.fixed.url.join(only(response)?.to_str().ok()?).ok()?;
        if !url.username().is_empty() || url.password().is_some() {
            return None;
        }
        let origin = Origin::of(&url).ok()?;
        if self.fixed.origin.https && !origin.https {
            return None;
        }
        let absolute = request_target(&url, &origin).ok()?;
        let mut next = Fixed::clone(&self.fixed);
        let mut trace = self.trace.clone();
        if origin != next.origin {
            trace = None;
            next.leave_credentials();
            next.headers.set_host(origin.host_header().ok()?);
        }
        let fixed = Fixed {
            url,
            origin,
            absolute,
            ..next
        };
        Some(Self {
            fixed: Arc::new(fixed),
            body: self.body.clone(),
            id: self.id.clone(),
            signature: None,
            trace,
            group: self.group,
        })
    }
}

impl Fixed {
    /// Any header may be a credential, a signature would allow another receiver to forward the
    /// message as its own, and a client certificate identifies the sender.
    fn leave_credentials(&mut self) {
        let harmless =
            |header: &Header| HARMLESS.contains(&header.name) && !header.value.is_sensitive();
        self.headers.retain(harmless);
        self.signing = None;
        #[cfg(feature = "sender")]
        {
            self.identity = None;
        }
    }
}

/// Returns the only `Location`: with two it would be ambiguous.
fn only(response: &HeaderMap) -> Option<&HeaderValue> {
    let mut all = response.get_all(LOCATION).iter();
    all.next().filter(|_| all.next().is_none())
}
