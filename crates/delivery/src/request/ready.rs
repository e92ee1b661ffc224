//! A checked request.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Uri};

use super::delivery_id::DeliveryId;
use super::error::RequestError;
use super::headers::Headers;
use super::origin::Origin;
use super::trace::Trace;
use super::trust::Trust;
#[cfg(feature = "sender")]
use crate::identity::ClientIdentity;
use crate::sign::SigningKeys;

/// A request, checked and ready to be sent any number of times.
///
/// `Debug` shows neither sensitive header values nor the body nor the URL's path and query, which
/// are often secrets of the receiver.
#[derive(Clone)]
pub struct Request {
    pub(crate) fixed: Arc<Fixed>,
    pub(crate) body: Bytes,
    pub(crate) id: Option<DeliveryId>,
    /// The signature, if it was made before the message.
    pub(crate) signature: Option<Arc<str>>,
    pub(crate) trace: Option<Trace>,
    pub(crate) group: Option<u128>,
}

/// The common part of all deliveries to one target.
#[derive(Clone)]
pub(crate) struct Fixed {
    pub(crate) method: Method,
    pub(crate) url: url::Url,
    pub(crate) origin: Origin,
    /// The whole address for HTTP/2. HTTP/1.1 sends its path and query.
    pub(crate) absolute: Uri,
    pub(crate) headers: Headers,
    pub(crate) timeout: Duration,
    pub(crate) trust: Trust,
    pub(crate) signing: Option<SigningKeys>,
    /// The captured bytes of the response's body, if different from the sender's limit.
    pub(crate) capture: Option<usize>,
    /// Whether redirects are disabled.
    pub(crate) stays: bool,
    /// The certificate for a target that requests one.
    #[cfg(feature = "sender")]
    pub(crate) identity: Option<Arc<ClientIdentity>>,
}

impl Request {
    /// Returns the same request with the id and the body of another delivery. The rest is shared,
    /// so a caller with many messages to one target builds and checks it once.
    ///
    /// # Errors
    ///
    /// [`RequestError::DeliveryId`].
    pub fn for_delivery(&self, id: &str, body: impl Into<Bytes>) -> Result<Self, RequestError> {
        Ok(Self {
            fixed: Arc::clone(&self.fixed),
            body: body.into(),
            id: Some(DeliveryId::parse(id.to_owned())?),
            signature: None,
            trace: None,
            group: self.group,
        })
    }

    /// Returns the same request as a part of a trace, with the headers `traceparent`, and
    /// `tracestate` if given (W3C Trace Context §3). If it has a header of either name already,
    /// these are not sent. They are not sent to another origin after a redirect.
    ///
    /// # Errors
    ///
    /// [`RequestError::HeaderValue`].
    pub fn with_trace(self, parent: &str, state: Option<&str>) -> Result<Self, RequestError> {
        let trace = Some(Trace::new(parent, state)?);
        Ok(Self { trace, ..self })
    }

    /// Returns the headers of its trace, each with its name as HTTP/1.1 writes it.
    pub(crate) fn trace(&self) -> impl Iterator<Item = (HeaderName, &'static str, &HeaderValue)> {
        let headers = &self.fixed.headers;
        self.trace.iter().flat_map(|trace| trace.beside(headers))
    }

    /// Returns the same request with one more header, whose value is a secret
    /// ([`RequestBuilder::sensitive_header`](super::RequestBuilder::sensitive_header)).
    ///
    /// # Errors
    ///
    /// [`RequestError::HeaderName`], [`RequestError::HeaderValue`],
    /// [`RequestError::ReservedHeader`], [`RequestError::TooManyHeaders`].
    pub fn with_sensitive_header(
        mut self,
        name: &str,
        value: impl AsRef<[u8]>,
    ) -> Result<Self, RequestError> {
        let fixed = Arc::make_mut(&mut self.fixed);
        fixed.headers.append(name, value.as_ref(), true)?;
        fixed.headers.check_size()?;
        Ok(self)
    }

    /// Returns the same request with another timeout, such as the rest of one that it shares with
    /// an earlier request. With zero it times out immediately.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        Arc::make_mut(&mut self.fixed).timeout = timeout;
        self
    }

    /// Returns the same request as part of a group, such as all requests of an owner. Groups share
    /// neither connections nor TLS sessions: the requests of one group, and the responses to them,
    /// cannot end, delay or read the requests of another. Requests without a group share theirs
    /// among themselves.
    ///
    /// A group may keep as many idle connections as the sender allows, while no other group needs
    /// any. Beyond that limit, a group with more than a sixteenth of them loses its oldest to
    /// another. Without a group, each origin counts as one.
    #[must_use]
    pub fn with_group(mut self, group: u128) -> Self {
        self.group = Some(group);
        self
    }

    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.fixed.method
    }

    /// Returns the URL.
    #[must_use]
    pub fn url(&self) -> &url::Url {
        &self.fixed.url
    }

    /// Returns the body.
    #[must_use]
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Returns the timeout of an attempt, from name resolution to the end of the captured response.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.fixed.timeout
    }

    /// Returns the group, if any.
    #[must_use]
    pub fn group(&self) -> Option<u128> {
        self.group
    }

    /// Returns whether the target's certificate must be valid.
    #[must_use]
    pub fn trust(&self) -> Trust {
        self.fixed.trust
    }

    /// Returns the id by which a receiver recognises a repeated delivery, if one was set.
    #[must_use]
    pub fn delivery_id(&self) -> Option<&str> {
        self.id.as_ref().map(DeliveryId::text)
    }

    /// Returns `host`, then the given headers in their order, with names as written and values as
    /// bytes.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.fixed
            .headers
            .iter()
            .map(|header| (&*header.written, header.value.as_bytes()))
    }
}

impl Fixed {
    /// Returns path and query, as HTTP/1.1 sends them.
    pub(crate) fn path(&self) -> &str {
        self.absolute
            .path_and_query()
            .map_or("/", |path| path.as_str())
    }

    /// Returns scheme, authority, and path with query.
    pub(crate) fn url_parts(&self) -> [&str; 3] {
        let scheme = self.absolute.scheme_str().unwrap_or_default();
        let authority = self
            .absolute
            .authority()
            .map_or("", |authority| authority.as_str());
        [scheme, authority, self.path()]
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.fixed.method)
            .field("origin", &self.fixed.origin)
            .field("headers", &self.fixed.headers)
            .field("body_bytes", &self.body.len())
            .field("timeout", &self.fixed.timeout)
            .field("trust", &self.fixed.trust)
            .field("id", &self.delivery_id())
            .finish_non_exhaustive()
    }
}
