//! The builder of requests.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Method;

use super::delivery_id::DeliveryId;
use super::error::RequestError;
use super::headers::Headers;
use super::origin::Origin;
use super::ready::{Fixed, Request};
use super::request_target::request_target;
use super::trust::Trust;
#[cfg(feature = "sender")]
use crate::identity::{ClientIdentity, ClientIdentityError};
use crate::sign::SigningKeys;

/// The timeout for name resolution, connection, TLS, sending and the response together.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// A builder for a [`Request`]; [`build`](Self::build) checks all parts.
///
/// ```
/// use std::time::Duration;
/// use delivery::Request;
///
/// let request = Request::builder("https://hooks.example.com/in".parse()?)
///     .header("content-type", "application/json")
///     .sensitive_header("authorization", "Bearer s3cret")
///     .body(r#"{"text":"Webhook"}"#)
///     .timeout(Duration::from_secs(5))
///     .delivery_id("msg_1")
///     .build()?;
/// assert!(!format!("{request:?}").contains("s3cret"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a builder does nothing until `build`"]
pub struct RequestBuilder {
    url: url::Url,
    method: Method,
    headers: Headers,
    body: Bytes,
    timeout: Duration,
    trust: Trust,
    id: Option<String>,
    signing: Option<SigningKeys>,
    capture: Option<usize>,
    stays: bool,
    #[cfg(feature = "sender")]
    identity: Option<Arc<ClientIdentity>>,
    fault: Option<RequestError>,
}

impl Request {
    /// Starts a request to a URL. Defaults: `POST`, no headers, an empty body, a timeout of 5 s,
    /// [`Trust::Verify`], no id, no signature.
    pub fn builder(url: url::Url) -> RequestBuilder {
        RequestBuilder::new(url)
    }
}

impl RequestBuilder {
    fn new(url: url::Url) -> Self {
        Self {
            url,
            method: Method::POST,
            headers: Headers::default(),
            body: Bytes::new(),
            timeout: DEFAULT_TIMEOUT,
            trust: Trust::Verify,
            id: None,
            signing: None,
            capture: None,
            stays: false,
            #[cfg(feature = "sender")]
            identity: None,
            fault: None,
        }
    }

    /// Sets the method; `POST` by default.
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Appends a header. A name may occur more than once. Over HTTP/1.1 headers are sent in the
    /// given order and case; HTTP/2 uses lower case (RFC 9113 §8.2.1) and groups repeated names.
    pub fn header(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.append(name, value.as_ref(), false)
    }

    /// Appends a header whose value is a secret: it is never shown, and HTTP/2 does not add it to
    /// its compression table.
    pub fn sensitive_header(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.append(name, value.as_ref(), true)
    }

    /// Sets the body, sent byte for byte.
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets the timeout for name resolution, connection, TLS, sending and the response together.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets whether the target's certificate must be valid.
    pub fn trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    /// Sets the id by which a receiver recognises a repeated delivery, sent as `webhook-id`.
    pub fn delivery_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Signs each attempt (Standard Webhooks); needs a delivery id.
    pub fn signing(mut self, keys: SigningKeys) -> Self {
        self.signing = Some(keys);
        self
    }

    /// Sets how many bytes of the response's body are captured, in place of the sender's capture
    /// limit.
    pub fn capture_limit(mut self, bytes: usize) -> Self {
        self.capture = Some(bytes);
        self
    }

    /// Disables redirects, whatever the sender's setting: a 3xx is the outcome.
    pub fn no_redirects(mut self) -> Self {
        self.stays = true;
        self
    }

    /// Sets a client certificate for a target that requests one (mutual TLS), in place of the
    /// sender's. It is used only for the URL's origin, not after a redirect to another one.
    /// Requests with different identities, or with none, share no connections and no TLS sessions.
    #[cfg(feature = "sender")]
    pub fn client_identity(mut self, identity: Arc<ClientIdentity>) -> Self {
        self.identity = Some(identity);
        self
    }

    /// Checks all parts.
    ///
    /// # Errors
    ///
    /// The first [`RequestError`] met; see its variants.
    pub fn build(self) -> Result<Request, RequestError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        if self.method == Method::CONNECT {
            return Err(RequestError::Method);
        }
        if !self.url.username().is_empty() || self.url.password().is_some() {
            return Err(RequestError::Credentials);
        }
        if self.timeout.is_zero() {
            return Err(RequestError::Timeout);
        }
        self.headers.check_size()?;
        let id = self.id.map(DeliveryId::parse).transpose()?;
        if self.signing.is_some() && id.is_none() {
            return Err(RequestError::SigningNeedsId);
        }
        let origin = Origin::of(&self.url)?;
        #[cfg(feature = "sender")]
        if self.identity.is_some() && !origin.https {
            return Err(ClientIdentityError::WithoutTls.into());
        }
        let absolute = request_target(&self.url, &origin)?;
        let mut headers = self.headers;
        headers.set_host(origin.host_header()?);
        let fixed = Fixed {
            method: self.method,
            url: self.url,
            origin,
            absolute,
            headers,
            timeout: self.timeout,
            trust: self.trust,
            signing: self.signing,
            capture: self.capture,
            stays: self.stays,
            #[cfg(feature = "sender")]
            identity: self.identity,
        };
        Ok(Request {
            fixed: Arc::new(fixed),
            body: self.body,
            id,
            signature: None,
            trace: None,
            group: None,
        })
    }

    fn append(mut self, name: &str, value: &[u8], sensitive: bool) -> Self {
        if let Err(fault) = self.headers.append(name, value, sensitive) {
            self.fault.get_or_insert(fault);
        }
        self
    }
}

impl fmt::Debug for RequestBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestBuilder")
            .field("method", &self.method)
            .field("host", &self.url.host_str())
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}
