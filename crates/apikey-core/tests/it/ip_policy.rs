//! The IP policy against a naive reading of SPEC 2.1 rules 4 and 5.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use apikey_core::IpVerdict::{Allowed, NotOnAllowList, OnDenyList};
use apikey_core::{IpEntry, IpList, IpPolicy, IpRange, IpVerdict, MAX_IP_ENTRIES};
use proptest::prelude::*;

use crate::common::policy;

/// SPEC 2.1 rules 4 and 5, word by word, on bits.
fn naive(policy: &IpPolicy, addr: IpAddr) -> IpVerdict {
    let listed = |list: &IpList| {
        list.entries()
            .iter()
            .any(|entry| entry.enabled && covers(entry.net, addr))
    };
    if !policy.allow.entries().is_empty() {
        if listed(&policy.allow) {
            Allowed
        } else {
            NotOnAllowList
        }
    } else if listed(&policy.deny) {
        OnDenyList
    } else {
        Allowed
    }
}

fn covers(range: IpRange, addr: IpAddr) -> bool {
    let addr = match addr {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(addr, IpAddr::V4),
        v4 @ IpAddr::V4(_) => v4,
    };
    let prefix = u32::from(range.net().prefix_len());
    match (range.net().addr(), addr) {
        (IpAddr::V4(net), IpAddr::V4(addr)) => {
            (net.to_bits() ^ addr.to_bits())
                .checked_shr(32 - prefix)
                .unwrap_or(0)
                == 0
        }
        (IpAddr::V6(net), IpAddr::V6(addr)) => {
            (net.to_bits() ^ addr.to_bits())
                .checked_shr(128 - prefix)
                .unwrap_or(0)
                == 0
        }
        _ => false,
    }
}

/// Addresses from a few small neighbourhoods, so that entries meet, and the ends of both spaces.
fn addr() -> impl Strategy<Value = IpAddr> {
    let v4 = prop_oneof![
        (0u32..64).prop_map(|low| 0x0a00_0000 + low),
        (0u32..8).prop_map(|low| u32::MAX - low),
        0u32..8,
        any::<u32>(),
    ];
    let v4 = v4.prop_map(Ipv4Addr::from_bits);
    let v6 = prop_oneof![
        (0u128..64).prop_map(|low| (0x2001_0db8 << 96) + low),
        (0u128..8).prop_map(|low| u128::MAX - low),
        0u128..8,
        any::<u128>(),
    ];
    let v6 = v6.prop_map(Ipv6Addr::from_bits);
    prop_oneof![
        v4.clone().prop_map(IpAddr::V4),
        v4.prop_map(|v4| IpAddr::V6(v4.to_ipv6_mapped())),
        v6.prop_map(IpAddr::V6),
    ]
}

fn entry() -> impl Strategy<Value = IpEntry> {
    let prefix = prop_oneof![Just(0u8), 0u8..=128, 24u8..=32, 120u8..=128];
    (addr(), prefix, any::<bool>()).prop_map(|(addr, prefix, enabled)| {
        let addr = addr.to_canonical();
        let max = if addr.is_ipv4() { 32 } else { 128 };
        let net = format!("{addr}/{}", prefix.min(max)).parse().unwrap();
        IpEntry { enabled, net }
    })
}

fn list() -> impl Strategy<Value = IpList> {
    prop::collection::vec(entry(), 0..12).prop_map(|entries| IpList::new(entries).unwrap())
}

/// Policies with few entries, so that often enough one contains another.
fn policies() -> impl Strategy<Value = IpPolicy> {
    let few = || {
        let entries = prop::collection::vec(entry(), 0..3);
        entries.prop_map(|entries| IpList::new(entries).unwrap())
    };
    (few(), few()).prop_map(|(allow, deny)| IpPolicy { allow, deny })
}

/// The addresses where a decision may change: each entry's ends and their neighbours.
fn edges(policy: &IpPolicy) -> Vec<IpAddr> {
    let entries = policy.allow.entries().iter().chain(policy.deny.entries());
    entries
        .flat_map(
            |entry| match (entry.net.net().network(), entry.net.net().broadcast()) {
                (IpAddr::V4(first), IpAddr::V4(last)) => {
                    let (first, last) = (first.to_bits(), last.to_bits());
                    let all = [first.wrapping_sub(1), first, last, last.wrapping_add(1)];
                    all.map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits)))
                }
                (IpAddr::V6(first), IpAddr::V6(last)) => {
                    let (first, last) = (first.to_bits(), last.to_bits());
                    let all = [first.wrapping_sub(1), first, last, last.wrapping_add(1)];
                    all.map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits)))
                }
                ends => panic!("{ends:?}"),
            },
        )
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_compiled_policy_decides_as_the_naive_reading(
        allow in prop_oneof![Just(IpList::default()), list()],
        deny in list(),
        addrs in prop::collection::vec(addr(), 20),
    ) {
        let policy = IpPolicy { allow, deny };
        let compiled = policy.compile();
        for addr in addrs.into_iter().chain(edges(&policy)) {
            let expected = naive(&policy, addr);
            prop_assert_eq!(compiled.verdict(addr), expected, "{}", addr);
            prop_assert_eq!(policy.explain(addr).verdict(), expected, "{}", addr);
        }
    }

    #[test]
    fn ip_policy_within_means_subset_of_allowed_addresses(
        mine in policies(), others in policies(),
    ) {
        let ends = [IpAddr::from([0; 4]), IpAddr::from([255; 4]), IpAddr::from([0; 16]), IpAddr::from([255; 16])];
        let mut addrs = [edges(&mine), edges(&others)].concat().into_iter().chain(ends);
        let expected = addrs.all(|addr| {
            !naive(&mine, addr).is_allowed() || naive(&others, addr).is_allowed()
        });
        prop_assert_eq!(mine.is_within(&others), expected);
        prop_assert!(mine.is_within(&mine) && mine.is_within(&IpPolicy::default()));
    }

    #[test]
    fn disabled_allow_list_entry_never_widens_access(
        allow in list(), at in any::<prop::sample::Index>(), addr in addr(),
    ) {
        prop_assume!(!allow.is_empty());
        let mut entries = allow.entries().to_vec();
        let at = at.index(entries.len());
        entries[at].enabled = false;
        let before = IpPolicy { allow, ..IpPolicy::default() };
        let after = IpPolicy { allow: IpList::new(entries).unwrap(), ..IpPolicy::default() };
        prop_assert!(before.verdict(addr).is_allowed() || !after.verdict(addr).is_allowed());
    }

    #[test]
    fn a_list_survives_its_text_form(list in list()) {
        prop_assert_eq!(list.to_string().parse::<IpList>(), Ok(list));
    }

    #[test]
    fn reading_an_entry_or_a_list_never_panics(text in "[0-9a-f:./,!% ]{0,60}", any in ".{0,60}") {
        let _ = text.parse::<IpList>();
        let _ = any.parse::<IpList>();
        if let Ok(range) = text.parse::<IpRange>() {
            prop_assert_eq!(range.to_string().parse::<IpRange>(), Ok(range));
        }
    }
}

/// Asserts the verdict of an Allow List and a Deny List about an address.
fn decide(cases: &[(&str, &str, &str, IpVerdict)]) {
    for (allow, deny, addr, expected) in cases {
        let policy = policy(allow, deny);
        let addr = addr.parse().unwrap();
        assert_eq!(policy.verdict(addr), *expected, "{allow} {deny} {addr}");
        assert_eq!(policy.compile().verdict(addr), *expected, "{addr}");
    }
}

#[test]
fn spec_2_1_rule_4_an_address_in_both_lists_is_decided_by_the_allow_list() {
    decide(&[
        ("10.0.0.0/8", "10.0.0.1", "10.0.0.1", Allowed),
        ("10.0.0.0/8", "", "11.0.0.1", NotOnAllowList),
        ("10.0.0.0/8", "11.0.0.1", "11.0.0.1", NotOnAllowList),
    ]);
}

#[test]
fn spec_2_1_rule_5_a_deny_list_blocks_its_addresses_and_allows_all_others() {
    decide(&[
        ("", "10.0.0.0/8", "10.0.0.1", OnDenyList),
        ("", "10.0.0.0/8", "11.0.0.1", Allowed),
        ("", "10.0.0.0/8", "::1", Allowed),
        ("", "", "10.0.0.1", Allowed),
    ]);
}

#[test]
fn allow_list_with_all_entries_disabled_admits_nobody() {
    decide(&[
        ("!10.0.0.0/8", "", "10.0.0.1", NotOnAllowList),
        ("!10.0.0.0/8", "", "::1", NotOnAllowList),
        ("!10.0.0.0/8", "10.0.0.1", "10.0.0.2", NotOnAllowList),
        ("", "!10.0.0.0/8", "10.0.0.1", Allowed),
    ]);
}

#[test]
fn ipv4_mapped_address_is_checked_as_ipv4() {
    decide(&[
        ("10.0.0.0/8", "", "::ffff:10.0.0.1", Allowed),
        ("", "::ffff:10.0.0.0/104", "10.0.0.1", OnDenyList),
        ("", "10.0.0.0/8", "::ffff:10.0.0.1", OnDenyList),
        ("", "10.0.0.0/8", "64:ff9b::10.0.0.1", Allowed),
        ("::/0", "", "10.0.0.1", NotOnAllowList),
    ]);
}

#[test]
fn ip_lists_of_maximum_size_match_every_entry() {
    let text = |n: usize| format!("10.{}.{}.0/25", n / 256, n % 256);
    let entries: Vec<_> = (0..MAX_IP_ENTRIES).map(text).collect();
    let policy = policy(&entries.join(","), "");
    let compiled = policy.compile();
    for n in 0..MAX_IP_ENTRIES {
        let addr = |last: &str| {
            format!("10.{}.{}.{last}", n / 256, n % 256)
                .parse()
                .unwrap()
        };
        assert_eq!(compiled.verdict(addr("0")), Allowed);
        assert_eq!(compiled.verdict(addr("127")), Allowed);
        assert_eq!(compiled.verdict(addr("128")), NotOnAllowList);
    }
}
