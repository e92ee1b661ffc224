//! The builder of a sender.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::CryptoProvider;
use zeroize::Zeroizing;

use super::core::{Parts, Sender};
use super::header_names::HeaderNames;
use crate::connect::{Connector, Dial, Proxy, Resolve, SystemResolver};
use crate::egress::TargetPolicy;
use crate::pool::{Pool, PoolLimits};
use crate::setup_error::SetupError;
use crate::tls::{MinTls, Roots, Tls, TlsSettings};

/// A builder for a [`Sender`]; [`build`](Self::build) checks the settings.
///
/// ```
/// use delivery::{Sender, TargetPolicy};
///
/// let sender = Sender::builder(TargetPolicy::public()).user_agent("acme-hooks/1").build()?;
/// # Ok::<(), delivery::SetupError>(())
/// ```
#[must_use = "a builder does nothing until `build`"]
pub struct SenderBuilder {
    policy: TargetPolicy,
    resolver: Arc<dyn Resolve>,
    dial: Option<Arc<dyn Dial>>,
    proxy: Option<Proxy>,
    tls: TlsSettings,
    limits: PoolLimits,
    names: HeaderNames,
    user_agent: String,
    capture: usize,
    redirects: u8,
}

impl Sender {
    /// Starts a builder. The policy is required.
    ///
    /// ```compile_fail,E0061
    /// let sender = delivery::Sender::builder().build();
    /// ```
    pub fn builder(policy: TargetPolicy) -> SenderBuilder {
        SenderBuilder::new(policy)
    }
}

impl SenderBuilder {
    fn new(policy: TargetPolicy) -> Self {
        Self {
            policy,
            resolver: Arc::new(SystemResolver::default()),
            dial: None,
            proxy: None,
            tls: TlsSettings::default(),
            limits: PoolLimits {
                per_origin: 256,
                total: 2048,
                idle_for: Duration::from_secs(60),
            },
            names: HeaderNames::default(),
            user_agent: "gatepost-delivery".to_owned(),
            capture: 16 * 1024,
            redirects: 0,
        }
    }

    /// Sets the resolver of host names; the operating system's by default.
    pub fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Sets the dialer of connections; TCP by default.
    pub fn dialer(mut self, dial: Arc<dyn Dial>) -> Self {
        self.dial = Some(dial);
        self
    }

    /// Sets a proxy.
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.proxy = Some(proxy);
        self
    }

    /// Sets the trusted certificate authorities; Mozilla's by default.
    pub fn roots(mut self, roots: Roots) -> Self {
        self.tls.roots = roots;
        self
    }

    /// Adds trusted authorities: one certificate in DER, or any number in PEM.
    pub fn extra_root(mut self, der_or_pem: impl Into<Vec<u8>>) -> Self {
        self.tls.extra.push(der_or_pem.into());
        self
    }

    /// Sets the certificate for targets that request one (mTLS): the chain, own certificate first,
    /// and its private key, each in PEM or DER. The key is wiped when the builder is dropped.
    pub fn client_certificate(
        mut self,
        chain: impl Into<Vec<u8>>,
        key: impl Into<Vec<u8>>,
    ) -> Self {
        self.tls.identity = Some((chain.into(), Zeroizing::new(key.into())));
        self
    }

    /// Sets the minimum TLS version; 1.2 by default.
    pub fn min_tls(mut self, min: MinTls) -> Self {
        self.tls.min = min;
        self
    }

    /// Sets how long a connection may be idle; 60 s by default. Zero disables reuse.
    pub fn idle_for(mut self, idle_for: Duration) -> Self {
        self.limits.idle_for = idle_for;
        self
    }

    /// Sets how many connections may be kept for later requests: for one group and one origin over
    /// HTTP/1 (256 by default; HTTP/2 needs one), and in all (2,048 by default). Beyond the latter,
    /// a group with more than a sixteenth of them loses its oldest to another group
    /// ([`Request::with_group`](crate::Request::with_group)).
    pub fn max_idle(mut self, per_origin: usize, total: usize) -> Self {
        self.limits.per_origin = per_origin;
        self.limits.total = total;
        self
    }

    /// Sets the names of the headers for id, timestamp and signature; `webhook-id` and so on by
    /// default.
    pub fn header_names(mut self, names: HeaderNames) -> Self {
        self.names = names;
        self
    }

    /// Sets the `User-Agent` of requests that have none.
    pub fn user_agent(mut self, value: impl Into<String>) -> Self {
        self.user_agent = value.into();
        self
    }

    /// Sets how many bytes of a response's body are captured; 16 KiB by default.
    pub fn capture_limit(mut self, bytes: usize) -> Self {
        self.capture = bytes;
        self
    }

    /// Sets the maximum number of redirects that are followed in an attempt (301, 302, 307, 308);
    /// none by default, so that every 3xx is an error.
    ///
    /// Method and body do not change. The target policy checks each hop like a separate target, and
    /// all hops share the request's timeout. If the origin changes, headers other than `Accept`,
    /// `User-Agent` and those that describe the content are dropped, and the message is not signed.
    /// A 303, a redirect from `https` to `http`, a `Location` with credentials, and any redirect
    /// beyond the maximum are not followed: the status is then the outcome.
    pub fn follow_redirects(mut self, at_most: u8) -> Self {
        self.redirects = at_most;
        self
    }

    /// Sets the cryptography provider for TLS; *ring* by default. Nothing is ever installed for the
    /// whole process.
    pub fn crypto_provider(mut self, provider: Arc<CryptoProvider>) -> Self {
        self.tls.provider = provider;
        self
    }

    /// Builds the sender.
    ///
    /// # Errors
    ///
    /// [`SetupError`] for certificates or keys that cannot be used, roots that cannot be loaded, or
    /// a `User-Agent` that is not a header value.
    pub fn build(self) -> Result<Sender, SetupError> {
        let user_agent =
            http::HeaderValue::from_str(&self.user_agent).map_err(|_| SetupError::UserAgent)?;
        let parts = Parts {
            connector: Connector {
                resolver: self.resolver,
                dial: self.dial,
                proxy: self.proxy,
            },
            tls: Tls::new(&self.tls)?,
            pool: Pool::new(self.limits),
            names: self.names,
            user_agent,
            capture: self.capture,
            redirects: self.redirects,
        };
        Ok(Sender::from_parts(parts, self.policy))
    }
}

impl fmt::Debug for SenderBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SenderBuilder")
            .field("policy", &self.policy)
            .field("proxy", &self.proxy)
            .field("tls", &self.tls)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
