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
mod policy;
mod range;
mod within;

pub use compiled::CompiledIpPolicy;
pub use explain::Explanation;
pub use lint::IpLint;
pub use list::{IpEntry, IpList, IpListError, MAX_IP_ENTRIES};
pub use policy::{IpListName, IpPolicy, IpVerdict};
pub use range::{IpRange, IpRangeError};
