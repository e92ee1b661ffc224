//! Where a request comes from.

use std::net::{IpAddr, SocketAddr};

use http::HeaderMap;
use ipnet::IpNet;

/// The header in which proxies name their client.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ForwardedHeader {
    /// `X-Forwarded-For`
    XForwardedFor,
    /// `Forwarded` (RFC 7239)
    Forwarded,
}

/// The proxies whose word counts. What anyone else puts into a forwarding header is not looked at.
#[derive(Clone, Debug)]
pub struct TrustedProxies {
    networks: Vec<IpNet>,
    header: ForwardedHeader,
}

impl TrustedProxies {
    /// No proxy: the peer is the client.
    #[must_use]
    pub fn none() -> Self {
        Self {
            networks: Vec::new(),
            header: ForwardedHeader::XForwardedFor,
        }
    }

    /// Proxies in these networks, which all set this header.
    #[must_use]
    pub fn new(networks: Vec<IpNet>, header: ForwardedHeader) -> Self {
        Self { networks, header }
    }

    /// The client: going back from the peer, the first address that is no trusted proxy. `None`
    /// when a trusted proxy names one that cannot be read; such a request must not be let in. The
    /// layer asks by itself; a login page of the platform's own takes the same address for
    /// [`GuessLimiter::attempt`](crate::GuessLimiter::attempt).
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
            for entry in line.to_str().ok()?.rsplit(',') {
                client = match self.header {
                    ForwardedHeader::XForwardedFor => address(entry.trim())?,
                    ForwardedHeader::Forwarded => address(node(entry)?)?,
                };
                if !self.trusts(client) {
                    return Some(client);
                }
            }
        }
        Some(client)
    }

    fn trusts(&self, addr: IpAddr) -> bool {
        self.networks.iter().any(|net| net.contains(&addr))
    }
}

/// The value of `for=` in an element of `Forwarded`, without quotes.
fn node(element: &str) -> Option<&str> {
    let value = element.split(';').find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        name.eq_ignore_ascii_case("for").then_some(value)
    })?;
    match value.strip_prefix('"') {
        Some(quoted) => quoted.strip_suffix('"'),
        None => Some(value),
    }
}

/// An address with or without a port; IPv6 with or without brackets.
fn address(text: &str) -> Option<IpAddr> {
    let plain = text.parse::<IpAddr>().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|addr| addr.ip());
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    plain
        .or_else(with_port)
        .or_else(bracketed)
        .map(|addr| addr.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(
        proxies: &TrustedProxies,
        peer: &str,
        name: &'static str,
        lines: &[&str],
    ) -> Option<String> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(name, line.parse().unwrap());
        }
        proxies
            .client(peer.parse().unwrap(), &headers)
            .map(|addr| addr.to_string())
    }

    fn xff(peer: &str, lines: &[&str]) -> Option<String> {
        let proxies = TrustedProxies::new(
            vec!["10.0.0.0/8".parse().unwrap()],
            ForwardedHeader::XForwardedFor,
        );
        client(&proxies, peer, "x-forwarded-for", lines)
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(
            client(
                &TrustedProxies::none(),
                "10.0.0.1",
                "x-forwarded-for",
                &["1.2.3.4"]
            )
            .unwrap(),
            "10.0.0.1"
        );
        assert_eq!(
            xff("9.9.9.9", &["1.2.3.4"]).unwrap(),
            "9.9.9.9",
            "a stranger's word"
        );
        assert_eq!(xff("10.0.0.1", &["1.2.3.4"]).unwrap(), "1.2.3.4");
        assert_eq!(
            xff("::ffff:10.0.0.1", &["::ffff:1.2.3.4"]).unwrap(),
            "1.2.3.4",
            "mapped addresses are IPv4"
        );
        assert_eq!(
            xff("10.0.0.1", &["6.6.6.6, 1.2.3.4, 10.0.0.2"]).unwrap(),
            "1.2.3.4",
            "from the right"
        );
        assert_eq!(
            xff("10.0.0.1", &["6.6.6.6", "1.2.3.4"]).unwrap(),
            "1.2.3.4",
            "the last line first"
        );
        assert_eq!(xff("10.0.0.1", &[]).unwrap(), "10.0.0.1");
        assert_eq!(xff("10.0.0.1", &["1.2.3.4:5678"]).unwrap(), "1.2.3.4");
    }

    #[test]
    fn what_cannot_be_read_is_not_let_in() {
        for garbage in [
            "unknown",
            "",
            "1.2.3.4,",
            "_hidden",
            "1.2.3",
            "fe80::1%eth0",
        ] {
            assert_eq!(xff("10.0.0.1", &[garbage]), None, "{garbage:?}");
        }
        assert_eq!(
            xff("10.0.0.1", &["garbage, 1.2.3.4"]).unwrap(),
            "1.2.3.4",
            "what strangers wrote is not read"
        );
    }

    #[test]
    fn the_forwarded_header() {
        let proxies = TrustedProxies::new(
            vec!["10.0.0.0/8".parse().unwrap()],
            ForwardedHeader::Forwarded,
        );
        let from = |line: &str| client(&proxies, "10.0.0.1", "forwarded", &[line]);
        assert_eq!(from("for=1.2.3.4").unwrap(), "1.2.3.4");
        assert_eq!(
            from(r#"for="[2001:db8::1]:4711";proto=https, For=10.0.0.7"#).unwrap(),
            "2001:db8::1"
        );
        assert_eq!(from("proto=https"), None);
        assert_eq!(from(r#"for="unterminated"#), None);
    }
}
