//! A request that was checked.

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

/// One request, checked and ready to be sent any number of times.
///
/// `Debug` shows neither header values that are sensitive nor the body nor the URL's path and
/// query, which often are secrets of the receiver.
#[derive(Clone)]
pub struct Request {
    pub(crate) fixed: Arc<Fixed>,
    pub(crate) body: Bytes,
    pub(crate) id: Option<DeliveryId>,
    /// The signature, where it was made before the message is.
    pub(crate) signature: Option<Arc<str>>,
    pub(crate) trace: Option<Trace>,
    pub(crate) group: Option<u128>,
}

/// What all deliveries to one target have in common.
#[derive(Clone)]
pub(crate) struct Fixed {
    pub(crate) method: Method,
    pub(crate) url: url::Url,
    pub(crate) origin: Origin,
    /// The whole address, as HTTP/2 wants it. HTTP/1.1 sends its path and query.
    pub(crate) absolute: Uri,
    pub(crate) headers: Headers,
    pub(crate) timeout: Duration,
    pub(crate) trust: Trust,
    pub(crate) signing: Option<SigningKeys>,
    /// Bytes of the response's body that are kept, where not as many as the sender keeps.
    pub(crate) capture: Option<usize>,
    /// Whether no redirect is followed.
    pub(crate) stays: bool,
    /// Shown where the target asks for a certificate.
    #[cfg(feature = "sender")]
    pub(crate) identity: Option<Arc<ClientIdentity>>,
}

impl Request {
    /// The same request with the id and the body of another delivery. The rest is shared, so who
    /// sends many messages to one target builds and checks it once.
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

    /// The same request as a part of a trace, whose headers it carries: `traceparent`, and
    /// `tracestate` if given (W3C Trace Context §3). If it has a header of either name already,
    /// that stays and these are not sent; nor are they to another origin, after a redirect.
    ///
    /// # Errors
    ///
    /// [`RequestError::HeaderValue`].
    pub fn with_trace(self, parent: &str, state: Option<&str>) -> Result<Self, RequestError> {
        let trace = Some(Trace::new(parent, state)?);
        Ok(Self { trace, ..self })
    }

    /// The headers of its trace that are sent, each with its name as HTTP/1.1 writes it.
    pub(crate) fn trace(&self) -> impl Iterator<Item = (HeaderName, &'static str, &HeaderValue)> {
        let headers = &self.fixed.headers;
        self.trace.iter().flat_map(|trace| trace.beside(headers))
    }

    /// The same request with one more header, whose value is a secret
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

    /// The same request with another budget: what is left of one that it shares with a request
    /// before it. With zero it times out at once.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        Arc::make_mut(&mut self.fixed).timeout = timeout;
        self
    }

    /// The same request as one of a group, such as all those of an owner. Groups share neither
    /// connections nor TLS sessions: what one sends, and what its targets respond, cannot end,
    /// delay or read the requests of another. Requests without a group share theirs among
    /// themselves.
    ///
    /// A group may keep as many idle connections as the sender allows, while no other wants any.
    /// Beyond that limit, a group with more than a sixteenth of it gives up its oldest for another.
    /// Without a group, each origin counts as one.
    #[must_use]
    pub fn with_group(mut self, group: u128) -> Self {
        self.group = Some(group);
        self
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.fixed.method
    }

    /// The URL.
    #[must_use]
    pub fn url(&self) -> &url::Url {
        &self.fixed.url
    }

    /// The body.
    #[must_use]
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The one budget of an attempt, from name resolution to the end of the captured response.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.fixed.timeout
    }

    /// The group that it is one of, if any.
    #[must_use]
    pub fn group(&self) -> Option<u128> {
        self.group
    }

    /// Whether the target's certificate has to be valid.
    #[must_use]
    pub fn trust(&self) -> Trust {
        self.fixed.trust
    }

    /// The id by which a receiver recognises a repeated delivery, if one was set.
    #[must_use]
    pub fn delivery_id(&self) -> Option<&str> {
        self.id.as_ref().map(DeliveryId::text)
    }

    /// `host`, then the headers that were given: in their order, names as they were written,
    /// values as bytes.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.fixed
            .headers
            .iter()
            .map(|header| (&*header.written, header.value.as_bytes()))
    }
}

impl Fixed {
    /// Path and query, as HTTP/1.1 sends them.
    pub(crate) fn path(&self) -> &str {
        self.absolute
            .path_and_query()
            .map_or("/", |path| path.as_str())
    }

    /// Scheme, authority, and path with query.
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
