//! The client address of a request.

mod quoted;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr};

use http::HeaderMap;
use ipnet::IpNet;

use self::quoted::{parts_from_the_end, unquoted};

/// The header in which proxies name their client.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ForwardedHeader {
    /// `X-Forwarded-For`
    XForwardedFor,
    /// `Forwarded` (RFC 7239)
    Forwarded,
}

/// The trusted proxies. Forwarding headers from other peers are ignored.
#[derive(Clone, Debug)]
pub struct TrustedProxies {
    networks: Vec<IpNet>,
    header: ForwardedHeader,
}

impl TrustedProxies {
    /// Creates a value without proxies: the peer is the client.
    #[must_use]
    pub fn none() -> Self {
        Self {
            networks: Vec::new(),
            header: ForwardedHeader::XForwardedFor,
        }
    }

    /// Creates a value for proxies in these networks, which all must set this header.
    #[must_use]
    pub fn new(networks: Vec<IpNet>, header: ForwardedHeader) -> Self {
        Self { networks, header }
    }

    /// Returns the client address: going back from the peer, the first address that is not a
    /// trusted proxy. Returns `None` if a trusted proxy names an address that cannot be read; such
    /// a request must be refused. The layer calls it automatically; a login page of the platform
    /// passes the same address to [`GuessLimiter::attempt`](crate::GuessLimiter::attempt).
    ///
    /// ```
    /// use gatepost_keys::{ForwardedHeader, TrustedProxies};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let proxies = TrustedProxies::new(vec!["10.0.0.0/8".parse()?], ForwardedHeader::XForwardedFor);
    /// let mut headers = http::HeaderMap::new();
    /// headers.insert("x-forwarded-for", "6.6.6.6, 203.0.113.7".parse()?);
    /// let client = proxies.client("10.0.0.1".parse()?, &headers);
    /// assert_eq!(client, Some("203.0.113.7".parse()?)); // what the client claimed is not read
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> Option<IpAddr> {
        let mut client = peer.to_canonical();
        if !self.trusts(client) {
            return Some(client);
        }
        let name = match self.header {
            ForwardedHeader::XForwardedFor => "x-forwarded-for",
            ForwardedHeader::Forwarded => "forwarded",
        };
        for line in headers.get_all(name).iter().rev() {
            for named in self.named(line.to_str().ok()?) {
                client = named?;
                if !self.trusts(client) {
                    return Some(client);
                }
            }
        }
        Some(client)
    }

    /// Returns the addresses in a line, the last one first; `None` for one that cannot be read.
    fn named<'l>(&self, line: &'l str) -> Box<dyn Iterator<Item = Option<IpAddr>> + 'l> {
        match self.header {
            ForwardedHeader::XForwardedFor => {
                Box::new(line.rsplit(',').map(|entry| address(entry.trim())))
            }
            ForwardedHeader::Forwarded => {
                let elements = parts_from_the_end(line, b',');
                Box::new(elements.map(|element| address(node(element?)?)))
            }
        }
    }

    fn trusts(&self, addr: IpAddr) -> bool {
        self.networks.iter().any(|net| net.contains(&addr))
    }
}

/// Returns the value of `for=` in an element of `Forwarded`, without quotes. Returns `None` if it
/// is missing or repeated, which RFC 7239 §4 forbids, or if another pair cannot be read.
fn node(element: &str) -> Option<&str> {
    let mut node = None;
    for pair in parts_from_the_end(element, b';') {
        let pair = pair?.trim();
        if pair.is_empty() {
            continue;
        }
        let (name, value) = pair.split_once('=')?;
        let value = unquoted(value)?;
        if name.eq_ignore_ascii_case("for") && node.replace(value).is_some() {
            return None;
        }
    }
    node
}

/// Parses an address with or without a port; IPv6 with or without brackets.
fn address(text: &str) -> Option<IpAddr> {
    let plain = text.parse::<IpAddr>().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|addr| addr.ip());
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    plain
        .or_else(with_port)
        .or_else(bracketed)
        .map(|addr| addr.to_canonical())
}
