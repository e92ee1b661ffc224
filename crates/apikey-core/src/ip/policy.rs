//! The two lists of a key.

use std::fmt;

use super::list::IpList;

/// The two lists of a key. Compile it before checking many addresses.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a record: who stores it learns of a new field from the compiler"
)]
pub struct IpPolicy {
    /// SPEC's IP Allow List.
    pub allow: IpList,
    /// SPEC's IP Deny List. Without effect if `allow` is set.
    pub deny: IpList,
}

/// The verdict of an IP policy on an address.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[must_use]
#[allow(
    clippy::exhaustive_enums,
    reason = "a decision: each case has to be handled"
)]
pub enum IpVerdict {
    /// The address may use the key.
    Allowed,
    /// An allow list is set and none of its enabled entries covers the address.
    NotOnAllowList,
    /// No allow list is set and an enabled entry of the deny list covers the address.
    OnDenyList,
}

/// One of the two lists, by name.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "these are all there are")]
pub enum IpListName {
    /// The IP Allow List.
    Allow,
    /// The IP Deny List.
    Deny,
}

impl IpVerdict {
    /// Returns whether the address may use the key.
    #[must_use]
    pub fn is_allowed(self) -> bool {
        self == Self::Allowed
    }
}

impl fmt::Display for IpListName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "IP allow list",
            Self::Deny => "IP deny list",
        })
    }
}
