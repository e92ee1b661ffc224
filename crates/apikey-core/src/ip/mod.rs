//! Who may use a key from where: an allow list and a deny list of addresses and networks.
//!
//! The rules (SPEC 2.1 rules 4 and 5, SPEC 5.1 rule 4):
//! - an allow list, when set, admits only its addresses, and decides alone;
//! - otherwise the deny list blocks its addresses and all others pass;
//! - a list is *set* when it has any entry, enabled or not, so **disabling an entry never widens
//!   access**: an allow list whose entries are all disabled admits nobody.
//!
//! An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) is one with its IPv4 address everywhere, in
//! entries and in addresses asked about. Other IPv6 forms that carry an IPv4 address (NAT64,
//! 6to4, IPv4-compatible) are ordinary IPv6 addresses, and `::/0` covers no IPv4.

mod compiled;
mod explain;
mod lint;
mod list;
mod range;

use std::fmt;
use std::net::IpAddr;

pub use compiled::CompiledIpPolicy;
pub use explain::Explanation;
pub use lint::IpLint;
pub use list::{IpEntry, IpList, IpListError, MAX_IP_ENTRIES};
pub use range::{IpRange, IpRangeError};

/// The two lists of a key. Compile it before deciding about many addresses.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub struct IpPolicy {
    /// SPEC's IP Allow List.
    pub allow: IpList,
    /// SPEC's IP Deny List. Without effect when `allow` is set.
    pub deny: IpList,
}

/// What an IP policy says about an address.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[must_use]
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
pub enum IpListName {
    /// The IP Allow List.
    Allow,
    /// The IP Deny List.
    Deny,
}

impl IpPolicy {
    /// The form that decides fast.
    #[must_use]
    pub fn compile(&self) -> CompiledIpPolicy {
        CompiledIpPolicy::new(self)
    }

    /// Decides about one address by walking the lists. See [`explain`](Self::explain) for why.
    pub fn decide(&self, addr: IpAddr) -> IpVerdict {
        self.explain(addr).verdict()
    }
}

impl IpVerdict {
    /// Whether the address may use the key.
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
