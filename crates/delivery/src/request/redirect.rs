//! The request that a redirect asks for.

use std::sync::Arc;

use http::header::{
    ACCEPT, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_TYPE, LOCATION, USER_AGENT,
};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::headers::Header;
use super::origin::Origin;
use super::ready::{Fixed, Request};
use super::request_target::request_target;

/// What describes the message and holds no credential.
const HARMLESS: [HeaderName; 5] = [
    ACCEPT,
    CONTENT_ENCODING,
    CONTENT_LANGUAGE,
    CONTENT_TYPE,
    USER_AGENT,
];

impl Request {
    /// The same method and body to where a response leads; `None` when it leads nowhere or must not
    /// be followed.
    ///
    /// `303` asks for another question, not for this delivery. From `https` to `http` the message
    /// would be laid open. A location with credentials in it is not obeyed.
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
    /// Any header may be a credential, with a signature another could pass the message on as its
    /// own, and a client certificate says who sends.
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

/// The one `Location`: of two, nothing says which is meant.
fn only(response: &HeaderMap) -> Option<&HeaderValue> {
    let mut all = response.get_all(LOCATION).iter();
    all.next().filter(|_| all.next().is_none())
}
