//! The table of special addresses, which are no targets of webhooks.
//!
//! It contains facts from the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890),
//! multicast (RFC 5771, RFC 4291), and cloud metadata services, which are in no registry.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const METADATA_V4: [Ipv4Addr; 10] = [
    Ipv4Addr::new(169, 254, 169, 254), // AWS, Azure, GCP, OpenStack, …
    Ipv4Addr::new(169, 254, 169, 253), // AWS resolver
    Ipv4Addr::new(169, 254, 169, 123), // AWS time
    Ipv4Addr::new(169, 254, 170, 2),   // AWS container credentials
    Ipv4Addr::new(169, 254, 170, 23),  // AWS pod identity
    Ipv4Addr::new(169, 254, 42, 42),   // Scaleway
    Ipv4Addr::new(169, 254, 0, 23),    // Tencent
    Ipv4Addr::new(100, 100, 100, 200), // Alibaba
    Ipv4Addr::new(192, 0, 0, 192),     // Oracle
    Ipv4Addr::new(168, 63, 129, 16),   // Azure WireServer: a public address, in no registry
];

const METADATA_V6: [Ipv6Addr; 9] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), // AWS
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x253), // AWS resolver
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),  // AWS pod identity
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),  // GCP
    Ipv6Addr::new(0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe), // Oracle
    Ipv6Addr::new(0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42),   // Scaleway
    Ipv6Addr::new(0xfd00, 0xa9fe, 0xa9fe, 0, 0, 0, 0, 1), // Akamai
    Ipv6Addr::new(0xfd00, 0x100, 0, 0, 0, 0, 0x100, 0x200), // Alibaba
    Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe), // OpenStack
];

/// The special purpose of an address that is not an ordinary public one.
///
/// Its `Display` form is a text for users.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum SpecialPurpose {
    /// AS112 and AMT service addresses (RFC 7450, RFC 7534, RFC 7535).
    Anycast,
    /// Benchmarking (RFC 2544, RFC 5180).
    Benchmarking,
    /// Documentation (RFC 3849, RFC 5737, RFC 9637).
    Documentation,
    /// An IPv6 form that carries an IPv4 address through a tunnel or translator (RFC 2765, RFC
    /// 3056, RFC 4291 §2.5.5.1, RFC 4380, RFC 8215).
    Embedded,
    /// Link-local and the deprecated site-local (RFC 3927, RFC 4291, RFC 3879).
    LinkLocal,
    /// This host (RFC 1122 §3.2.1.3, RFC 4291).
    Loopback,
    /// A cloud provider's metadata service.
    Metadata,
    /// Multicast (RFC 5771, RFC 4291).
    Multicast,
    /// Private networks (RFC 1918, RFC 4193).
    Private,
    /// Protocol assignments of the IETF (RFC 6890 §2.1, RFC 2928).
    Protocol,
    /// Reserved or unallocated (RFC 1112 §4, RFC 4291 §2.4).
    Reserved,
    /// Shared between a carrier and its customers, CGNAT (RFC 6598).
    Shared,
    /// "This network", the unspecified address (RFC 791 §3.2, RFC 4291).
    Unspecified,
}

impl fmt::Display for SpecialPurpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anycast => "service anycast addresses",
            Self::Benchmarking => "benchmarking addresses",
            Self::Documentation => "documentation addresses",
            Self::Embedded => "IPv6 addresses that carry an IPv4 address",
            Self::LinkLocal => "link-local addresses",
            Self::Loopback => "loopback addresses",
            Self::Metadata => "cloud metadata addresses",
            Self::Multicast => "multicast addresses",
            Self::Private => "private addresses",
            Self::Protocol => "protocol assignment addresses",
            Self::Reserved => "reserved addresses",
            Self::Shared => "carrier-shared addresses",
            Self::Unspecified => "unspecified addresses",
        })
    }
}

/// Returns the special purpose of an address; `None` for an ordinary public one.
///
/// It checks only the given form: the caller must unfold embedded addresses.
pub(super) fn special_purpose(addr: IpAddr) -> Option<SpecialPurpose> {
    match addr {
        IpAddr::V4(v4) => special_v4(v4),
        IpAddr::V6(v6) => special_v6(v6),
    }
}

/// Returns whether a cloud provider serves credentials or machine state at this address.
pub(super) fn is_metadata(addr: IpAddr) -> bool {
    match addr {
        IpAddr::V4(v4) => METADATA_V4.contains(&v4),
        IpAddr::V6(v6) => METADATA_V6.contains(&v6),
    }
}

fn special_v4(addr: Ipv4Addr) -> Option<SpecialPurpose> {
    use SpecialPurpose as S;
    Some(match addr.octets() {
        [0, ..] => S::Unspecified,
        [127, ..] => S::Loopback,
        [10, ..] | [192, 168, ..] | [172, 16..=31, ..] => S::Private,
        [100, 64..=127, ..] => S::Shared,
        [169, 254, ..] => S::LinkLocal,
        [192, 0, 0, _] => S::Protocol,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => S::Documentation,
        [192, 31, 196, _] | [192, 52, 193, _] | [192, 175, 48, _] => S::Anycast,
        [192, 88, 99, _] => S::Embedded, // the relays of 6to4
        [198, 18..=19, ..] => S::Benchmarking,
        [224..=239, ..] => S::Multicast,
        [240..=255, ..] => S::Reserved,
        _ => return None,
    })
}

fn special_v6(addr: Ipv6Addr) -> Option<SpecialPurpose> {
    use SpecialPurpose as S;
    Some(match addr.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => S::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => S::Loopback,
        [0, 0, 0, 0, 0, 0, ..]
        | [0, 0, 0, 0, 0xffff, 0, ..]
        | [0, 0, 0, 0, 0, 0xffff, ..]
        | [0x64, 0xff9b, ..]
        | [0x2001, 0, ..]
        | [0x2002, ..] => S::Embedded,
        [0x2001, 2, 0, ..] => S::Benchmarking,
        [0x2001, 0..=0x1ff, ..] => S::Protocol,
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => S::Documentation,
        [0x2620, 0x4f, 0x8000, ..] => S::Anycast,
        [0xfc00..=0xfdff, ..] => S::Private,
        [0xfe80..=0xfeff, ..] => S::LinkLocal,
        [0xff00..=0xffff, ..] => S::Multicast,
        // RFC 4291 §2.4: global unicast addresses are only assigned from 2000::/3.
        [0x2000..=0x3fff, ..] => return None,
        _ => S::Reserved,
    })
}
