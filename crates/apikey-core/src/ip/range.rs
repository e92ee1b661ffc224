use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// The maximum length of a network's text: `0000:…:255.255.255.255/128` has 49 characters.
const MAX_TEXT: usize = 49;

/// An IP address or a CIDR range in its normal form: host bits cleared (`10.1.2.3/8` is
/// `10.0.0.0/8`), IPv4-mapped IPv6 converted to its IPv4. A single address is shown without `/32`
/// or `/128`.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct IpRange(IpNet);

impl IpRange {
    /// Returns the network.
    #[must_use]
    pub fn net(&self) -> IpNet {
        self.0
    }

    /// Returns whether it covers an address. An IPv4-mapped address counts as its IPv4.
    #[must_use]
    pub fn contains(&self, addr: IpAddr) -> bool {
        self.0.contains(&addr.to_canonical())
    }
}

/// The reason why a text is not an address or CIDR range. Each message shows what to write instead.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IpRangeError {
    /// There is no text.
    #[error("is empty")]
    Empty,
    /// An IPv4 number is written with a leading zero, which some programs read as octal.
    #[error("has a number with a leading zero: write 10.0.0.1, not 010.0.0.1")]
    LeadingZero,
    /// A network of mapped addresses shorter than /96.
    #[error(
        "is an IPv4-mapped network shorter than /96, which would cover more than IPv4: write the IPv4 network itself, such as 10.0.0.0/8"
    )]
    MappedPrefix,
    /// There is a netmask in place of a prefix length.
    #[error("has a netmask: write the prefix length, such as /24")]
    Netmask,
    /// It is not an address: a name, a short form, a range with a dash, a port, brackets.
    #[error("is not an IPv4 or IPv6 address or CIDR range, such as 192.0.2.7 or 2001:db8::/32")]
    NotAnAddress,
    /// The prefix length is missing, not a plain number, or too large.
    #[error("has a prefix length that is not a plain number from 0 to {max}")]
    PrefixLength {
        /// 32 for IPv4, 128 for IPv6.
        max: u8,
    },
    /// It contains white space.
    #[error("holds white space")]
    Space,
    /// An IPv6 zone, which is only valid on one machine.
    #[error("has an IPv6 zone: write it without % and what follows")]
    Zone,
}

impl FromStr for IpRange {
    type Err = IpRangeError;

    fn from_str(text: &str) -> Result<Self, IpRangeError> {
        if text.is_empty() {
            return Err(IpRangeError::Empty);
        }
        if text.contains(|c: char| c.is_whitespace()) {
            return Err(IpRangeError::Space);
        }
        if text.len() > MAX_TEXT {
            return Err(IpRangeError::NotAnAddress);
        }
        let (addr, prefix) = match text.split_once('/') {
            Some((addr, prefix)) => (addr, Some(prefix)),
            None => (text, None),
        };
        let addr: IpAddr = addr.parse().map_err(|_| address_error(addr))?;
        match prefix {
            None => Ok(addr.into()),
            Some(prefix) => normal(addr, prefix_length(prefix, max_prefix(addr))?),
        }
    }
}

impl From<IpAddr> for IpRange {
    /// Creates the range of one address.
    fn from(addr: IpAddr) -> Self {
        Self(addr.to_canonical().into())
    }
}

impl TryFrom<IpNet> for IpRange {
    type Error = IpRangeError;

    /// Converts a network to its normal form; the only error is [`IpRangeError::MappedPrefix`].
    fn try_from(net: IpNet) -> Result<Self, IpRangeError> {
        normal(net.addr(), net.prefix_len())
    }
}

impl fmt::Display for IpRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.prefix_len() == self.0.max_prefix_len() {
            self.0.addr().fmt(f)
        } else {
            self.0.fmt(f)
        }
    }
}

fn max_prefix(addr: IpAddr) -> u8 {
    if addr.is_ipv4() { 32 } else { 128 }
}

/// Parses one to three decimal digits without a leading zero, not above `max`.
fn prefix_length(text: &str, max: u8) -> Result<u8, IpRangeError> {
    let error = IpRangeError::PrefixLength { max };
    if text.parse::<IpAddr>().is_ok() {
        return Err(IpRangeError::Netmask);
    }
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    if !digits || (text.len() > 1 && text.starts_with('0')) {
        return Err(error);
    }
    match text.parse() {
        Ok(length) if length <= max => Ok(length),
        _ => Err(error),
    }
}

fn normal(addr: IpAddr, prefix: u8) -> Result<IpRange, IpRangeError> {
    let net = match addr {
        IpAddr::V4(v4) => v4_net(v4, prefix)?,
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => {
                let prefix = prefix.checked_sub(96).ok_or(IpRangeError::MappedPrefix)?;
                v4_net(v4, prefix)?
            }
            None => v6_net(v6, prefix)?,
        },
    };
    Ok(IpRange(net.trunc()))
}

fn v4_net(addr: Ipv4Addr, prefix: u8) -> Result<IpNet, IpRangeError> {
    let net = Ipv4Net::new(addr, prefix);
    net.map(IpNet::V4)
        .map_err(|_| IpRangeError::PrefixLength { max: 32 })
}

fn v6_net(addr: Ipv6Addr, prefix: u8) -> Result<IpNet, IpRangeError> {
    let net = Ipv6Net::new(addr, prefix);
    net.map(IpNet::V6)
        .map_err(|_| IpRangeError::PrefixLength { max: 128 })
}

/// Returns the most specific error for a text that `IpAddr` refused.
fn address_error(addr: &str) -> IpRangeError {
    let decimal = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let dotted = addr.rsplit(':').next().unwrap_or(addr);
    if addr.contains('%') {
        IpRangeError::Zone
    } else if dotted.split('.').count() == 4
        && dotted.split('.').all(decimal)
        && dotted.split('.').any(|p| p.len() > 1 && p.starts_with('0'))
    {
        IpRangeError::LeadingZero
    } else {
        IpRangeError::NotAnAddress
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ip_range_parse_errors_name_the_mistake() {
        use IpRangeError::*;
        for (text, why) in [
            ("", Empty),
            ("010.0.0.1", LeadingZero),
            ("::ffff:10.0.0.01", LeadingZero),
            ("::ffff:10.0.0.0/8", MappedPrefix),
            ("::ffff:10.0.0.0/95", MappedPrefix),
            ("10.0.0.0/255.0.0.0", Netmask),
            ("example.com", NotAnAddress),
            ("10.0.0.256", NotAnAddress),
            ("10.0.x.01", NotAnAddress),
            ("10.0.0.1:80", NotAnAddress),
            ("[::1]", NotAnAddress),
            ("10.0.0.1-10.0.0.9", NotAnAddress),
            ("10.0.0.0/33", PrefixLength { max: 32 }),
            ("10.0.0.0/", PrefixLength { max: 32 }),
            ("10.0.0.0/08", PrefixLength { max: 32 }),
            ("::/129", PrefixLength { max: 128 }),
            ("10.0.0.0/ 8", Space),
            ("fe80::1%eth0", Zone),
        ] {
            assert_eq!(text.parse::<IpRange>(), Err(why), "{text:?}");
        }
    }

    #[test]
    fn the_longest_spelling_of_a_network_is_read() {
        let longest = "0000:0000:0000:0000:0000:ffff:255.255.255.255/128";
        assert_eq!(longest.len(), MAX_TEXT);
        let range: IpRange = longest.parse().unwrap();
        assert_eq!(range.to_string(), "255.255.255.255");
    }

    #[test]
    fn a_network_given_by_code_is_normalised_too() {
        let net = |text: &str| IpRange::try_from(text.parse::<IpNet>().unwrap());
        assert_eq!(net("10.1.2.3/8").unwrap().to_string(), "10.0.0.0/8");
        assert_eq!(
            net("::ffff:10.1.2.3/104").unwrap().to_string(),
            "10.0.0.0/8"
        );
        assert_eq!(net("::ffff:10.1.2.3/64"), Err(IpRangeError::MappedPrefix));
    }

    #[test]
    fn ipv4_mapped_address_matches_ipv4_range_not_ipv6() {
        let ten: IpRange = "10.0.0.0/8".parse().unwrap();
        assert!(ten.contains("::ffff:10.9.8.7".parse().unwrap()));
        assert!(!ten.contains("::10.9.8.7".parse().unwrap()));
        let all_v6: IpRange = "::/0".parse().unwrap();
        assert!(all_v6.contains("::10.9.8.7".parse().unwrap()));
        assert!(!all_v6.contains("::ffff:10.9.8.7".parse().unwrap()));
        assert!(!all_v6.contains("10.9.8.7".parse().unwrap()));
    }
}
