//! The target policy against every special address and many ways to write them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use delivery::{SpecialPurpose, TargetPolicy, TargetRefusal};
use ipnet::IpNet;
use proptest::prelude::*;

use crate::support::spellings::{FORBIDDEN, PUBLIC, spellings};

#[test]
fn special_purpose_prefixes_are_refused_up_to_edges() {
    let table = include_str!("../vectors/ip/special_purpose.csv");
    let (policy, mut rows) = (TargetPolicy::public(), 0);
    for line in table.lines().skip(1) {
        rows += 1;
        let net: IpNet = line.split(',').next().unwrap().parse().unwrap();
        if line.contains(",embedded,") {
            assert!(
                policy.check(inside(net, Ipv4Addr::new(8, 8, 8, 8))).is_ok(),
                "{line}"
            );
            assert!(
                policy
                    .check(inside(net, Ipv4Addr::new(10, 0, 0, 1)))
                    .is_err(),
                "{line}"
            );
            continue;
        }
        // Rows marked "either" leave the choice open; ours is to refuse.
        for addr in [net.network(), net.broadcast()] {
            assert!(policy.check(addr).is_err(), "{addr} of {line}");
        }
    }
    assert_eq!(rows, 59);
}

fn inside(net: IpNet, v4: Ipv4Addr) -> IpAddr {
    match net.network() {
        IpAddr::V6(v6) => Ipv6Addr::from(u128::from(v6) | u128::from(u32::from(v4))).into(),
        IpAddr::V4(_) => v4.into(),
    }
}

#[test]
fn public_addresses_next_to_special_ranges_are_allowed() {
    for text in PUBLIC {
        assert_eq!(
            TargetPolicy::public().check(text.parse().unwrap()),
            Ok(()),
            "{text}"
        );
    }
}

#[test]
fn forbidden_address_is_refused_in_every_spelling() {
    let policy = TargetPolicy::public();
    let (mut judged, mut let_through) = (0, Vec::new());
    for text in FORBIDDEN {
        for host in spellings(text.parse().unwrap()) {
            for url in [
                format!("http://{host}/x"),
                format!("https://{host}:8443/"),
                format!("HTTP:\\\\{host}"),
            ] {
                // A URL that the one URL parser refuses never becomes a request.
                let Ok(parsed) = url::Url::parse(&url) else {
                    continue;
                };
                judged += 1;
                assert!(
                    !matches!(parsed.host(), Some(url::Host::Domain(_))),
                    "{url} is no name"
                );
                if policy.check_url(&parsed).is_ok() {
                    let_through.push(url);
                }
            }
        }
    }
    assert!(let_through.is_empty(), "{let_through:?}");
    assert!(judged >= 3000, "{judged}");
}

#[test]
fn allowed_networks_exclude_metadata_unless_allowed_separately() {
    let all = TargetPolicy::public()
        .allow("0.0.0.0/0".parse().unwrap())
        .allow("::/0".parse().unwrap());
    let check = |policy: &TargetPolicy, text: &str| policy.check(text.parse().unwrap());
    for open in ["10.0.0.1", "127.0.0.1", "::ffff:10.0.0.1", "::1", "fd00::1"] {
        assert_eq!(check(&all, open), Ok(()), "{open}");
    }
    let metadata = [
        "169.254.169.254",
        "168.63.129.16",
        "100.100.100.200",
        "169.254.42.42",
        "169.254.0.23",
        "fd00:ec2::254",
        "fd20:ce::254",
        "fd00:c1::a9fe:a9fe",
        "fd00:42::42",
        "fd00:a9fe:a9fe::1",
        "fd00:100::100:200",
        "fe80::a9fe:a9fe",
        "::ffff:169.254.42.42",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::",
        "::a9fe:a9fe",
        "2001:0:a9fe:a9fe::",
    ];
    for closed in metadata {
        assert!(check(&all, closed).is_err(), "{closed}");
        assert_eq!(
            check(&all.clone().allow_metadata(), closed),
            Ok(()),
            "{closed}"
        );
    }
    let narrowed = all.deny("10.0.0.0/8".parse().unwrap());
    assert_eq!(
        check(&narrowed, "10.1.1.1"),
        Err(TargetRefusal::DeniedNetwork)
    );
    assert_eq!(
        check(&narrowed, "::ffff:10.1.1.1"),
        Err(TargetRefusal::DeniedNetwork)
    );
    // A tunnel into a network that is open does not open the tunnel.
    let ten = TargetPolicy::public().allow("10.0.0.0/8".parse().unwrap());
    assert!(check(&ten, "2002:a00:1::").is_err());
    assert_eq!(check(&ten, "::ffff:10.0.0.1"), Ok(()));
}

/// A service of the platform's own: the machine's other ports stay closed.
#[test]
fn one_address_is_opened_at_one_port_only() {
    let policy = TargetPolicy::public().allow_at("127.0.0.1:8081".parse().unwrap());
    let check = |policy: &TargetPolicy, url: &str| policy.check_url(&url.parse().unwrap());
    assert_eq!(check(&policy, "http://127.0.0.1:8081/hook"), Ok(()));
    assert_eq!(check(&policy, "http://[::ffff:127.0.0.1]:8081/"), Ok(()));
    for closed in [
        "http://127.0.0.1/",
        "http://127.0.0.1:8080/",
        "http://127.0.0.2:8081/",
        "http://[::1]:8081/",
    ] {
        let refused = Err(TargetRefusal::Special(SpecialPurpose::Loopback));
        assert_eq!(check(&policy, closed), refused, "{closed}");
    }
    assert!(policy.check("127.0.0.1".parse().unwrap()).is_err());
    let denied = policy.clone().deny("127.0.0.0/8".parse().unwrap());
    let refused = Err(TargetRefusal::DeniedNetwork);
    assert_eq!(check(&denied, "http://127.0.0.1:8081/"), refused);
    let named = policy.only_host("*.example.com".parse().unwrap());
    assert_eq!(check(&named, "http://127.0.0.1:8081/"), Ok(()));
    assert!(check(&named, "http://8.8.8.8:8081/").is_err());
}

#[test]
fn a_refusal_says_what_the_platform_advises() {
    let policy = TargetPolicy::public().advise("127.0.0.0/8".parse().unwrap(), "ask Ada");
    let told = |addr: &str| policy.check(addr.parse().unwrap()).unwrap_err().to_string();
    let advised = "the target policy refuses loopback addresses: ask Ada";
    assert_eq!(told("127.0.0.1"), advised);
    assert_eq!(told("::ffff:127.0.0.1"), advised);
    // No advice for addresses for which it would not help.
    for other in ["10.0.0.1", "169.254.169.254", "::1"] {
        assert!(!told(other).contains("ask Ada"), "{other}");
    }
}

#[test]
fn policy_checks_host_names_ports_and_schemes() {
    let policy = TargetPolicy::public()
        .only_host("*.example.com".parse().unwrap())
        .deny_host("evil.example.com".parse().unwrap())
        .only_port(443)
        .https_only();
    let check = |url: &str| policy.check_url(&url.parse().unwrap());
    assert_eq!(check("https://a.example.com/"), Ok(()));
    assert_eq!(check("https://A.EXAMPLE.COM./"), Ok(()));
    assert_eq!(
        check("https://EVIL.example.com./"),
        Err(TargetRefusal::HostName)
    );
    assert_eq!(check("https://example.com/"), Err(TargetRefusal::HostName));
    assert_eq!(
        check("https://a.example.com.evil.net/"),
        Err(TargetRefusal::HostName)
    );
    assert_eq!(check("https://.example.com/"), Err(TargetRefusal::HostName));
    assert_eq!(check("https://8.8.8.8/"), Err(TargetRefusal::HostName));
    assert_eq!(
        check("https://a.example.com:8443/"),
        Err(TargetRefusal::Port(8443))
    );
    assert_eq!(
        check("http://a.example.com:443/"),
        Err(TargetRefusal::Scheme)
    );
    assert_eq!(
        TargetPolicy::public().check_url(&"http://a.example:0/".parse().unwrap()),
        Err(TargetRefusal::Port(0))
    );
}

proptest! {
    #[test]
    fn ipv6_outside_2000_slash_3_is_refused(bits: u128) {
        let v6 = Ipv6Addr::from(bits);
        let first = v6.segments()[0];
        prop_assume!(!(0x2000..0x4000).contains(&first));
        prop_assert!(TargetPolicy::public().check(v6.into()).is_err());
    }

    #[test]
    fn mapped_address_gets_the_verdict_of_its_ipv4(bits: u32) {
        let v4 = Ipv4Addr::from(bits);
        let policy = TargetPolicy::public();
        prop_assert_eq!(policy.check(v4.into()), policy.check(v4.to_ipv6_mapped().into()));
        if policy.check(v4.into()).is_err() {
            let six_to_four = Ipv6Addr::from((0x2002u128 << 112) | (u128::from(bits) << 80));
            prop_assert!(policy.check(six_to_four.into()).is_err());
        }
    }
}
