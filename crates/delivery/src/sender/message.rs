//! The message of one attempt: the request's headers and those that belong to the attempt.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use http::header::{HOST, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue};
use http_body_util::Full;

use super::{Parts, SetupError};
use crate::outcome::{ErrorClass, Protocol};
use crate::request::{Request, RequestError};

/// The names of the headers that carry a delivery's id, time and signature.
///
/// Hosts that come from another system keep that system's names, so that receivers need not change.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HeaderNames {
    pub(crate) id: HeaderName,
    pub(crate) timestamp: HeaderName,
    pub(crate) signature: HeaderName,
}

impl HeaderNames {
    /// Takes three names, such as `svix-id`, `svix-timestamp`, `svix-signature`.
    ///
    /// # Errors
    ///
    /// [`SetupError::HeaderName`] when one is not a token (RFC 9110 §5.6.2), is one that the
    /// sender writes itself, or stands there twice.
    pub fn new(id: &str, timestamp: &str, signature: &str) -> Result<Self, SetupError> {
        let name = |text: &str| {
            let name =
                HeaderName::from_bytes(text.as_bytes()).map_err(|_| SetupError::HeaderName)?;
            let ours = [
                "host",
                "content-length",
                "transfer-encoding",
                "connection",
                "user-agent",
            ];
            if ours.contains(&name.as_str()) {
                Err(SetupError::HeaderName)
            } else {
                Ok(name)
            }
        };
        let names = Self {
            id: name(id)?,
            timestamp: name(timestamp)?,
            signature: name(signature)?,
        };
        if names.id == names.timestamp
            || names.id == names.signature
            || names.timestamp == names.signature
        {
            return Err(SetupError::HeaderName);
        }
        Ok(names)
    }
}

impl Default for HeaderNames {
    /// `webhook-id`, `webhook-timestamp`, `webhook-signature` (Standard Webhooks).
    fn default() -> Self {
        Self {
            id: HeaderName::from_static("webhook-id"),
            timestamp: HeaderName::from_static("webhook-timestamp"),
            signature: HeaderName::from_static("webhook-signature"),
        }
    }
}

impl Parts {
    /// All headers of an attempt at `now`. What the sender vouches for (id, time, signature)
    /// replaces headers of those names that the request brought along.
    pub(super) fn headers(
        &self,
        request: &Request,
        now: DateTime<Utc>,
    ) -> Result<HeaderMap, ErrorClass> {
        // With room for what comes below and for hyper's Content-Length: a map that grows is built
        // twice.
        let mut headers = HeaderMap::with_capacity(request.fixed.headers.len() + 5);
        for (name, value) in &request.fixed.headers {
            headers.append(name, value.clone());
        }
        if !headers.contains_key(USER_AGENT) {
            headers.insert(USER_AGENT, self.user_agent.clone());
        }
        let Some(id) = &request.id else {
            return Ok(headers);
        };
        headers.insert(self.names.id.clone(), id.0.clone());
        if let Some(keys) = &request.fixed.signing {
            let signature = keys.signature(id.text(), now, &request.body);
            let signature = HeaderValue::try_from(signature)
                .map_err(|_| RequestError::HeaderValue(self.names.signature.to_string()))?;
            headers.insert(self.names.signature.clone(), signature);
            headers.insert(
                self.names.timestamp.clone(),
                HeaderValue::from(now.timestamp()),
            );
        }
        Ok(headers)
    }

    /// The message as hyper takes it.
    pub(super) fn message(
        &self,
        request: &Request,
        now: DateTime<Utc>,
        protocol: Protocol,
    ) -> Result<http::Request<Full<Bytes>>, ErrorClass> {
        let mut message = http::Request::new(Full::new(request.body.clone()));
        *message.method_mut() = request.fixed.method.clone();
        *message.headers_mut() = self.headers(request, now)?;
        match protocol {
            Protocol::Http1 => *message.uri_mut() = request.fixed.path.clone(),
            Protocol::Http2 => {
                *message.uri_mut() = request.fixed.absolute.clone();
                // `:authority` says it (RFC 9113 §8.3.1).
                message.headers_mut().remove(HOST);
            }
        }
        Ok(message)
    }
}
