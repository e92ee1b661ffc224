use std::fmt;
use std::net::IpAddr;

use super::explain::Explanation;
use super::list::IpList;
use super::policy::{IpListName, IpPolicy};

/// A property of a policy that may surprise its owner. A form shows it; nothing is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum IpLint {
    /// An allow list is set, so these entries of the deny list have no effect (SPEC 2.1 rule 4).
    DeadDenyList {
        /// The number of entries.
        entries: usize,
    },
    /// The edit would lock out the address of the editor.
    LocksOut {
        /// That address.
        addr: IpAddr,
        /// The rule that refuses it.
        because: Explanation,
    },
    /// The list is set but all of its entries are disabled: an allow list admits nobody, a deny
    /// list blocks nobody.
    NothingEnabled(IpListName),
    /// The deny list blocks every address of one family and has no entry of the other.
    OneFamilyOnly {
        /// The blocked family: 4 or 6.
        blocked: u8,
    },
}

impl IpPolicy {
    /// Returns the properties that may surprise the owner of this policy. `edited_from` is the
    /// address of the editor, if the key must be usable from there too.
    #[must_use]
    pub fn lint(&self, edited_from: Option<IpAddr>) -> Vec<IpLint> {
        let mut lints = Vec::new();
        if nothing_enabled(&self.allow) {
            lints.push(IpLint::NothingEnabled(IpListName::Allow));
        }
        if !self.allow.is_empty() && !self.deny.is_empty() {
            let entries = self.deny.len();
            lints.push(IpLint::DeadDenyList { entries });
        } else if nothing_enabled(&self.deny) {
            lints.push(IpLint::NothingEnabled(IpListName::Deny));
        } else if let Some(blocked) = one_family(&self.deny) {
            lints.push(IpLint::OneFamilyOnly { blocked });
        }
        if let Some(addr) = edited_from {
            let because = self.explain(addr);
            if !because.verdict().is_allowed() {
                lints.push(IpLint::LocksOut { addr, because });
            }
        }
        lints
    }
}

impl fmt::Display for IpLint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeadDenyList { entries } => write!(
                f,
                "only the IP allow list decides: the {entries} entries of the IP deny list have no effect"
            ),
            Self::LocksOut { addr, because } => {
                write!(f, "this locks out your own address {addr} ({because})")
            }
            Self::NothingEnabled(IpListName::Allow) => {
                f.write_str("no entry of the IP allow list is enabled: the key works from nowhere")
            }
            Self::NothingEnabled(IpListName::Deny) => {
                f.write_str("no entry of the IP deny list is enabled: it blocks nobody")
            }
            Self::OneFamilyOnly { blocked: 4 } => {
                f.write_str("all of IPv4 is blocked, IPv6 is not: add ::/0 to block both")
            }
            Self::OneFamilyOnly { .. } => {
                f.write_str("all of IPv6 is blocked, IPv4 is not: add 0.0.0.0/0 to block both")
            }
        }
    }
}

fn nothing_enabled(list: &IpList) -> bool {
    !list.is_empty() && !list.entries().iter().any(|entry| entry.enabled)
}

fn one_family(list: &IpList) -> Option<u8> {
    let enabled = || list.entries().iter().filter(|entry| entry.enabled);
    let nets = || enabled().map(|entry| entry.net.net());
    let all_v4 = nets().any(|net| net.prefix_len() == 0 && net.addr().is_ipv4());
    let all_v6 = nets().any(|net| net.prefix_len() == 0 && net.addr().is_ipv6());
    match (all_v4, all_v6) {
        (true, false) if !nets().any(|net| net.addr().is_ipv6()) => Some(4),
        (false, true) if !nets().any(|net| net.addr().is_ipv4()) => Some(6),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lint(allow: &str, deny: &str) -> Vec<IpLint> {
        let policy = IpPolicy {
            allow: allow.parse().unwrap(),
            deny: deny.parse().unwrap(),
        };
        policy.lint(Some("10.0.0.1".parse().unwrap()))
    }

    #[test]
    fn the_lists_have_names() {
        assert_eq!(IpListName::Allow.to_string(), "IP allow list");
        assert_eq!(IpListName::Deny.to_string(), "IP deny list");
    }

    #[test]
    fn lint_reports_surprising_ip_lists() {
        assert_eq!(lint("", ""), []);
        assert_eq!(lint("10.0.0.0/8", ""), []);
        assert_eq!(lint("", "192.168.0.0/16"), []);
        assert_eq!(lint("", "::1"), []);
        assert_eq!(
            lint("10.0.0.0/8", "10.0.0.1,::1"),
            [IpLint::DeadDenyList { entries: 2 }]
        );
        assert_eq!(
            lint("", "!10.0.0.1"),
            [IpLint::NothingEnabled(IpListName::Deny)]
        );
        assert_eq!(lint("", "::/0"), [IpLint::OneFamilyOnly { blocked: 6 }]);
        assert_eq!(
            lint("", "0.0.0.0/0")[..1],
            [IpLint::OneFamilyOnly { blocked: 4 }]
        );
        // An owner who lists addresses of the other family as well is aware of it.
        assert_eq!(lint("", "::/0,192.168.0.0/16"), []);
        assert!(matches!(
            lint("", "0.0.0.0/0,::1")[..],
            [IpLint::LocksOut { .. }]
        ));
        assert!(
            lint("", "0.0.0.0/0,::/0")
                .iter()
                .all(|l| matches!(l, IpLint::LocksOut { .. }))
        );
    }

    #[test]
    fn lint_reports_own_address_lockout_with_reason() {
        let texts: Vec<_> = lint("!10.0.0.0/8", "")
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            texts,
            [
                "no entry of the IP allow list is enabled: the key works from nowhere",
                "this locks out your own address 10.0.0.1 (refused: every entry of the IP allow list is disabled)",
            ]
        );
        assert!(matches!(lint("::1", "")[..], [IpLint::LocksOut { .. }]));
        assert!(matches!(
            lint("", "10.0.0.0/8")[..],
            [IpLint::LocksOut { .. }]
        ));
    }
}
