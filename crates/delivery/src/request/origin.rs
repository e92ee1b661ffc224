//! The origin of a request: scheme, host and port.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use http::HeaderValue;

use super::error::RequestError;

/// The part of a URL that decides about a connection; equal origins may share connections.
#[derive(Clone, Eq, Hash, PartialEq)]
pub(crate) struct Origin {
    pub(crate) https: bool,
    pub(crate) host: Host,
    pub(crate) port: u16,
}

/// A host name to resolve or a literal address.
#[derive(Clone, Eq, Hash, PartialEq)]
pub(crate) enum Host {
    Addr(IpAddr),
    Name(Arc<str>),
}

impl Origin {
    pub(crate) fn of(url: &url::Url) -> Result<Self, RequestError> {
        let https = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err(RequestError::Scheme),
        };
        let host = match url.host().ok_or(RequestError::Url)? {
            url::Host::Domain(name) => Host::Name(name.into()),
            url::Host::Ipv4(addr) => Host::Addr(addr.into()),
            url::Host::Ipv6(addr) => Host::Addr(addr.into()),
        };
        let port = url.port_or_known_default().ok_or(RequestError::Url)?;
        Ok(Self { https, host, port })
    }

    /// The value of the `Host` header: with the port only when it is not the scheme's.
    pub(crate) fn authority(&self) -> String {
        let host = match &self.host {
            Host::Name(name) => name.to_string(),
            Host::Addr(IpAddr::V4(v4)) => v4.to_string(),
            // In the URL's own spelling: the standard library writes some addresses another way.
            Host::Addr(IpAddr::V6(v6)) => url::Host::<&str>::Ipv6(*v6).to_string(),
        };
        match (self.https, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    pub(super) fn host_header(&self) -> Result<HeaderValue, RequestError> {
        HeaderValue::from_str(&self.authority()).map_err(|_| RequestError::Url)
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.https { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.authority())
    }
}
