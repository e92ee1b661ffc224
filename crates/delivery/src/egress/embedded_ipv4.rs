//! IPv4 addresses embedded in IPv6 addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The addresses that a packet to one address may reach: at most three.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forms([Option<IpAddr>; 3]);

impl Forms {
    pub(super) fn iter(&self) -> impl Iterator<Item = IpAddr> + '_ {
        self.0.iter().flatten().copied()
    }
}

/// Unfolds an address into all addresses that must be checked.
///
/// IPv4-mapped (RFC 4291 §2.5.5.2) and the NAT64 well-known prefix (RFC 6052) *are* the IPv4
/// address, and only that is checked. For 6to4 (RFC 3056), Teredo (RFC 4380), IPv4-compatible and
/// SIIT (RFC 2765), both the address and its embedded addresses are checked.
pub(super) fn unfold(addr: IpAddr) -> Forms {
    let v6 = match addr {
        IpAddr::V4(_) => return Forms([Some(addr), None, None]),
        IpAddr::V6(v6) => v6,
    };
    match v6.segments() {
        [0, 0, 0, 0, 0, 0xffff, hi, lo] | [0x64, 0xff9b, 0, 0, 0, 0, hi, lo] => {
            Forms([Some(v4(hi, lo)), None, None])
        }
        // The unspecified address and loopback are not IPv4-compatible addresses.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Forms([Some(addr), None, None]),
        [0, 0, 0, 0, 0, 0, hi, lo] | [0, 0, 0, 0, 0xffff, 0, hi, lo] => carried(v6, v4(hi, lo)),
        [0x2002, hi, lo, ..] => carried(v6, v4(hi, lo)),
        [0x2001, 0, server_hi, server_lo, _, _, client_hi, client_lo] => Forms([
            Some(addr),
            Some(v4(server_hi, server_lo)),
            Some(v4(!client_hi, !client_lo)), // Teredo stores the client's address inverted
        ]),
        _ => Forms([Some(addr), None, None]),
    }
}

fn carried(outer: Ipv6Addr, inner: IpAddr) -> Forms {
    Forms([Some(IpAddr::V6(outer)), Some(inner), None])
}

fn v4(hi: u16, lo: u16) -> IpAddr {
    let [a, b] = hi.to_be_bytes();
    let [c, d] = lo.to_be_bytes();
    IpAddr::V4(Ipv4Addr::new(a, b, c, d))
}
