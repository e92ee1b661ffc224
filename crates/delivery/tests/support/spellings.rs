//! Addresses, forbidden and public, and the ways to write them.

use std::net::Ipv4Addr;

/// One address or more of each forbidden kind.
pub(crate) const FORBIDDEN: [&str; 34] = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.0.0.53",
    "127.255.255.254",
    "169.254.1.1",
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.255.255",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "233.252.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "172.17.0.1",
    "10.96.0.1",
    "192.168.65.2",
];

/// Public addresses, up to the edges of the special ones.
pub(crate) const PUBLIC: [&str; 40] = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "168.63.129.17",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "192.0.3.0",
    "192.88.98.255",
    "192.88.100.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "198.51.99.255",
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2001:db7:ffff::1",
    "2001:db9::",
    "2003::1",
    "2606:4700:4700::1111",
    "2620:4f:7fff::1",
    "2a00:1450:4001::1",
    "3fff:1000::1",
    "64:ff9b::808:808",
    "::ffff:8.8.8.8",
];

/// Returns ways to write one IPv4 address as a host of a URL.
pub(crate) fn spellings(v4: Ipv4Addr) -> Vec<String> {
    let [a, b, c, d] = v4.octets();
    let n = u32::from(v4);
    let (hi, lo) = (n >> 16, n & 0xffff);
    let (nhi, nlo) = (!hi & 0xffff, !lo & 0xffff);
    let wide: String = v4
        .to_string()
        .chars()
        .map(|c| {
            if c.is_ascii_digit() {
                char::from_u32(c as u32 + 0xfee0).unwrap()
            } else {
                c
            }
        })
        .collect();
    let percent: String = v4
        .to_string()
        .bytes()
        .map(|b| format!("%{b:02x}"))
        .collect();
    let plain = [
        format!("{v4}"),
        format!("{v4}."),
        format!("{n}"),
        format!("{n:#x}"),
        format!("{n:#X}").replace("0X", "0x"),
        format!("0{n:o}"),
        format!("{n}."),
        format!("{a}.{}", n & 0xff_ffff),
        format!("{a}.{b}.{lo}"),
        format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("{a:#x}.0{b:o}.{c}.{d}"),
        format!("000{a:o}.{b}.{c:#x}.{d}"),
        format!("{a}。{b}。{c}。{d}"),
        format!("{a}.{b}．{c}.{d}"),
        wide,
        percent,
    ];
    let six = [
        format!("::ffff:{v4}"),
        format!("::FFFF:{hi:x}:{lo:x}"),
        format!("0:0:0:0:0:ffff:{hi:x}:{lo:04x}"),
        format!("0000:0000:0000:0000:0000:ffff:{v4}"),
        format!("::{v4}"),
        format!("::{hi:x}:{lo:x}"),
        format!("::ffff:0:{hi:x}:{lo:x}"),
        format!("64:ff9b::{v4}"),
        format!("64:ff9b::{hi:x}:{lo:x}"),
        format!("64:ff9b:1::{hi:x}:{lo:x}"),
        format!("2002:{hi:x}:{lo:x}::"),
        format!("2002:{hi:x}:{lo:x}::1"),
        format!("2001:0:808:808:0:0:{nhi:x}:{nlo:x}"),
        format!("2001:0:{hi:x}:{lo:x}:0:0:f7f7:f7f7"),
    ];
    plain
        .into_iter()
        .chain(six.map(|s| format!("[{s}]")))
        .collect()
}
