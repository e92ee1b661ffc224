use std::fmt;
use std::net::IpAddr;

use super::list::{IpEntry, IpList};
use super::policy::{IpPolicy, IpVerdict};

/// The rule that decided about an address, for logs and for its owner.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Explanation {
    /// No list is set: everyone is allowed.
    NoLists,
    /// Allowed by this entry of the allow list.
    AllowEntry {
        /// Its position, counted from 1.
        position: usize,
        /// The entry.
        entry: IpEntry,
    },
    /// Refused: an allow list is set and no enabled entry covers the address.
    NotOnAllowList,
    /// Refused: an allow list is set, and all of its entries are disabled.
    AllowListDisabled,
    /// Refused by this entry of the deny list.
    DenyEntry {
        /// Its position, counted from 1.
        position: usize,
        /// The entry.
        entry: IpEntry,
    },
    /// Allowed: no allow list is set and no enabled entry of the deny list covers the address.
    NotOnDenyList,
}

impl IpPolicy {
    /// Returns the verdict on one address, by walking the lists. See [`explain`](Self::explain) for
    /// the reason.
    pub fn verdict(&self, addr: IpAddr) -> IpVerdict {
        self.explain(addr).verdict()
    }

    /// Returns the rule that decides about one address: the first enabled entry that covers it, in
    /// the owner's order, or the lack of one. The verdict always equals the compiled form's.
    #[must_use]
    pub fn explain(&self, addr: IpAddr) -> Explanation {
        if !self.allow.is_empty() {
            match first_match(&self.allow, addr) {
                Some((position, entry)) => Explanation::AllowEntry { position, entry },
                None if self.allow.entries().iter().any(|entry| entry.enabled) => {
                    Explanation::NotOnAllowList
                }
                None => Explanation::AllowListDisabled,
            }
        } else if self.deny.is_empty() {
            Explanation::NoLists
        } else {
            match first_match(&self.deny, addr) {
                Some((position, entry)) => Explanation::DenyEntry { position, entry },
                None => Explanation::NotOnDenyList,
            }
        }
    }
}

impl Explanation {
    /// Returns the verdict that it explains.
    pub fn verdict(self) -> IpVerdict {
        match self {
            Self::NoLists | Self::AllowEntry { .. } | Self::NotOnDenyList => IpVerdict::Allowed,
            Self::NotOnAllowList | Self::AllowListDisabled => IpVerdict::NotOnAllowList,
            Self::DenyEntry { .. } => IpVerdict::OnDenyList,
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLists => f.write_str("allowed: no IP list is set"),
            Self::AllowEntry { position, entry } => {
                write!(
                    f,
                    "allowed by entry {position} of the IP allow list, {entry}"
                )
            }
            Self::NotOnAllowList => f.write_str("refused: not on the IP allow list"),
            Self::AllowListDisabled => {
                f.write_str("refused: every entry of the IP allow list is disabled")
            }
            Self::DenyEntry { position, entry } => {
                write!(
                    f,
                    "refused by entry {position} of the IP deny list, {entry}"
                )
            }
            Self::NotOnDenyList => f.write_str("allowed: not on the IP deny list"),
        }
    }
}

fn first_match(list: &IpList, addr: IpAddr) -> Option<(usize, IpEntry)> {
    let entries = list.entries().iter().copied();
    (1..).zip(entries).find(|(_, entry)| entry.matches(addr))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explain(allow: &str, deny: &str, addr: &str) -> String {
        let policy = IpPolicy {
            allow: allow.parse().unwrap(),
            deny: deny.parse().unwrap(),
        };
        policy.explain(addr.parse().unwrap()).to_string()
    }

    #[test]
    fn the_rule_that_decided_is_named() {
        assert_eq!(explain("", "", "10.0.0.1"), "allowed: no IP list is set");
        assert_eq!(
            explain("::1,10.0.0.0/8", "10.0.0.0/8", "10.0.0.1"),
            "allowed by entry 2 of the IP allow list, 10.0.0.0/8"
        );
        assert_eq!(
            explain("::1", "", "10.0.0.1"),
            "refused: not on the IP allow list"
        );
        assert_eq!(
            explain("!10.0.0.0/8", "", "10.0.0.1"),
            "refused: every entry of the IP allow list is disabled"
        );
        assert_eq!(
            explain("", "!10.0.0.0/8,10.0.0.1", "::ffff:10.0.0.1"),
            "refused by entry 2 of the IP deny list, 10.0.0.1"
        );
        assert_eq!(
            explain("", "10.0.0.1", "10.0.0.2"),
            "allowed: not on the IP deny list"
        );
    }
}
