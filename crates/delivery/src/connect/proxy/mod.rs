//! Proxies: HTTP CONNECT (RFC 9110 §9.3.6) and SOCKS5 (RFC 1928, RFC 1929).

mod error;
mod http_connect;
mod login;
mod socks5;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

pub use error::ProxyError;
use ipnet::IpNet;
use login::Login;

use super::dial::{Dial, dial};
use super::resolve::Resolve;
use super::stream::Base;
use crate::egress::HostPattern;
use crate::outcome::{ErrorClass, ProxyFault};
use crate::request::Host;

/// A proxy for all requests, except those to targets that bypass it.
///
/// The sender resolves and checks the target's name itself, and asks the proxy for the checked
/// address: a proxy never decides where a request goes. The proxy itself is chosen by the platform
/// and is not checked. Cheap to clone; `Debug` shows no credentials.
///
/// ```
/// let proxy = delivery::Proxy::parse("socks5://user:secret@proxy.internal:1080")?
///     .bypass_host("*.internal".parse()?)
///     .bypass_net("10.0.0.0/8".parse()?);
/// assert!(!format!("{proxy:?}").contains("secret"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Proxy {
    kind: Kind,
    host: Host,
    port: u16,
    login: Option<Arc<Login>>,
    bypass_hosts: Vec<HostPattern>,
    bypass_nets: Vec<IpNet>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    HttpConnect,
    Socks5,
}

impl Proxy {
    /// Parses `http://[user:password@]host[:port]` (HTTP CONNECT, port 80 by default) or
    /// `socks5://[user:password@]host[:port]` (port 1080 by default).
    ///
    /// # Errors
    ///
    /// [`ProxyError`] for another scheme, a missing host, or credentials that cannot be sent.
    pub fn parse(url: &str) -> Result<Self, ProxyError> {
        let url = url::Url::parse(url).map_err(|_| ProxyError::Url)?;
        let (kind, port) = match url.scheme() {
            "http" => (Kind::HttpConnect, 80),
            "socks5" => (Kind::Socks5, 1080),
            _ => return Err(ProxyError::Scheme),
        };
        // The url crate parses hosts of schemes that it does not know loosely: parse them again.
        let host = url::Host::parse(url.host_str().ok_or(ProxyError::Url)?);
        let host = match host.map_err(|_| ProxyError::Url)? {
            url::Host::Domain(name) => Host::Name(name.into()),
            url::Host::Ipv4(addr) => Host::Addr(addr.into()),
            url::Host::Ipv6(addr) => Host::Addr(addr.into()),
        };
        Ok(Self {
            kind,
            host,
            port: url.port().unwrap_or(port),
            login: Login::of(&url)?.map(Arc::new),
            bypass_hosts: Vec::new(),
            bypass_nets: Vec::new(),
        })
    }

    /// Connects directly to targets with such a host name.
    #[must_use]
    pub fn bypass_host(mut self, pattern: HostPattern) -> Self {
        self.bypass_hosts.push(pattern);
        self
    }

    /// Connects directly to targets whose addresses are all in such a network.
    #[must_use]
    pub fn bypass_net(mut self, net: IpNet) -> Self {
        self.bypass_nets.push(net);
        self
    }

    pub(super) fn bypasses(&self, host: &Host, addrs: &[SocketAddr]) -> bool {
        let named = |name: &str| {
            self.bypass_hosts
                .iter()
                .any(|pattern| pattern.matches(name))
        };
        let near = |addr: &SocketAddr| self.bypass_nets.iter().any(|net| net.contains(&addr.ip()));
        matches!(host, Host::Name(name) if named(name)) || addrs.iter().all(near)
    }

    /// Opens a stream to `target` through the proxy.
    pub(super) async fn tunnel(
        &self,
        dialer: Option<&dyn Dial>,
        resolver: &dyn Resolve,
        target: SocketAddr,
    ) -> Result<Base, ErrorClass> {
        let base = self
            .reach(dialer, resolver)
            .await
            .ok_or(ErrorClass::Proxy(ProxyFault::Connect))?;
        match self.kind {
            Kind::HttpConnect => http_connect::connect(base, target, self.login.as_deref()).await,
            Kind::Socks5 => socks5::connect(base, target, self.login.as_deref()).await,
        }
        .map_err(ErrorClass::Proxy)
    }

    async fn reach(&self, dialer: Option<&dyn Dial>, resolver: &dyn Resolve) -> Option<Base> {
        let addrs = match &self.host {
            Host::Addr(addr) => vec![*addr],
            Host::Name(name) => resolver.resolve(name).await.ok()?,
        };
        for addr in addrs {
            if let Ok(base) = dial(dialer, SocketAddr::new(addr, self.port)).await {
                return Some(base);
            }
        }
        None
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy")
            .field("kind", &self.kind)
            .field("port", &self.port)
            .field("login", &self.login.is_some())
            .finish_non_exhaustive()
    }
}
