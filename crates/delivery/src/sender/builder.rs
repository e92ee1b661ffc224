//! What a platform may choose about a sender.

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

/// Collects what a platform chooses; [`build`](Self::build) checks it.
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
    /// Starts a sender. There is none without a policy.
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

    /// Resolves host names another way than by the operating system.
    pub fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Opens connections another way than by TCP.
    pub fn dialer(mut self, dial: Arc<dyn Dial>) -> Self {
        self.dial = Some(dial);
        self
    }

    /// Sends through a proxy.
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.proxy = Some(proxy);
        self
    }

    /// Sets whose certificate authorities are trusted; Mozilla's by default.
    pub fn roots(mut self, roots: Roots) -> Self {
        self.tls.roots = roots;
        self
    }

    /// Trusts more authorities: one certificate in DER, or any number in PEM.
    pub fn extra_root(mut self, der_or_pem: impl Into<Vec<u8>>) -> Self {
        self.tls.extra.push(der_or_pem.into());
        self
    }

    /// Shows a certificate to targets that ask for one (mTLS): the chain, own certificate first,
    /// and its private key, each in PEM or DER. The key is wiped when the builder is dropped.
    pub fn client_certificate(
        mut self,
        chain: impl Into<Vec<u8>>,
        key: impl Into<Vec<u8>>,
    ) -> Self {
        self.tls.identity = Some((chain.into(), Zeroizing::new(key.into())));
        self
    }

    /// Sets the oldest TLS version that is spoken; 1.2 by default.
    pub fn min_tls(mut self, min: MinTls) -> Self {
        self.tls.min = min;
        self
    }

    /// Sets how long a connection may lie idle; 60 s by default. Zero turns reuse off.
    pub fn idle_for(mut self, idle_for: Duration) -> Self {
        self.limits.idle_for = idle_for;
        self
    }

    /// Sets how many connections may be kept for later requests: of one group to one origin over
    /// HTTP/1 (256 by default; over HTTP/2 it needs one), and in all (2,048 by default). Beyond
    /// that, a group with more than a sixteenth of them gives up its oldest for those of another
    /// ([`Request::with_group`](crate::Request::with_group)).
    pub fn max_idle(mut self, per_origin: usize, total: usize) -> Self {
        self.limits.per_origin = per_origin;
        self.limits.total = total;
        self
    }

    /// Names the headers that carry id, timestamp and signature; `webhook-id` and so on by default.
    pub fn header_names(mut self, names: HeaderNames) -> Self {
        self.names = names;
        self
    }

    /// Sets the `User-Agent` of requests that bring none of their own.
    pub fn user_agent(mut self, value: impl Into<String>) -> Self {
        self.user_agent = value.into();
        self
    }

    /// Sets how many bytes of a response's body are kept; 16 KiB by default.
    pub fn capture_limit(mut self, bytes: usize) -> Self {
        self.capture = bytes;
        self
    }

    /// Follows at most this many redirects per attempt (301, 302, 307, 308); none by default, so
    /// that every 3xx is an error.
    ///
    /// Method and body stay as they are. Each hop is judged by the target policy like a target of
    /// its own, and all share the request's one budget. Where the origin changes, headers other
    /// than `Accept`, `User-Agent` and those that describe the content stay behind, and the
    /// message is not signed. Not followed are 303, a way from `https` to `http`, a `Location`
    /// with credentials in it, and what comes after the last hop: the status is the outcome then.
    pub fn follow_redirects(mut self, at_most: u8) -> Self {
        self.redirects = at_most;
        self
    }

    /// Speaks TLS by another provider of cryptography than *ring*. Nothing is ever installed for
    /// the whole process.
    pub fn crypto_provider(mut self, provider: Arc<CryptoProvider>) -> Self {
        self.tls.provider = provider;
        self
    }

    /// Makes the sender.
    ///
    /// # Errors
    ///
    /// [`SetupError`] for certificates or keys that cannot be used, roots that cannot be loaded,
    /// or a `User-Agent` that is no header value.
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
