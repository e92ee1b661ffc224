//! The request that a redirect asks for.

use std::sync::Arc;

use http::header::{
    ACCEPT, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_TYPE, HOST, LOCATION, USER_AGENT,
};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::builder::targets;
use super::{Fixed, Origin, Request};

/// What describes the message and holds no credential.
const HARMLESS: [HeaderName; 5] = [
    ACCEPT,
    CONTENT_ENCODING,
    CONTENT_LANGUAGE,
    CONTENT_TYPE,
    USER_AGENT,
];

impl Request {
    /// The same method and body to where an answer leads; `None` when it leads nowhere or must not
    /// be followed.
    ///
    /// `303` asks for another question, not for this delivery. From `https` to `http` the message
    /// would be laid open. A location with credentials in it is not obeyed.
    pub(crate) fn redirected(&self, status: u16, answer: &HeaderMap) -> Option<Self> {
        if !matches!(status, 301 | 302 | 307 | 308) {
            return None;
        }
        let url = self.fixed.url.join(only(answer)?.to_str().ok()?).ok()?;
        if !url.username().is_empty() || url.password().is_some() {
            return None;
        }
        let origin = Origin::of(&url).ok()?;
        if self.fixed.origin.https && !origin.https {
            return None;
        }
        let (path, absolute) = targets(&url, &origin).ok()?;
        let mut next = Fixed::clone(&self.fixed);
        if origin != next.origin {
            next.leave_credentials();
            next.headers.insert(HOST, origin.host_header().ok()?);
        }
        let fixed = Fixed {
            url,
            origin,
            path,
            absolute,
            ..next
        };
        Some(Self {
            fixed: Arc::new(fixed),
            body: self.body.clone(),
            id: self.id.clone(),
        })
    }
}

impl Fixed {
    /// Any header may be a credential, and with a signature another could pass the message on as
    /// its own.
    fn leave_credentials(&mut self) {
        let harmless = |name: &HeaderName, value: &HeaderValue| {
            HARMLESS.contains(name) && !value.is_sensitive()
        };
        let kept = self
            .headers
            .iter()
            .filter(|(name, value)| harmless(name, value));
        self.headers = kept
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        self.signing = None;
    }
}

/// The one `Location`: of two it cannot be told which is meant.
fn only(answer: &HeaderMap) -> Option<&HeaderValue> {
    let mut all = answer.get_all(LOCATION).iter();
    all.next().filter(|_| all.next().is_none())
}
