//! IP policies: an allow list and a deny list of addresses and networks for a key.
//!
//! The rules (SPEC 2.1 rules 4 and 5, SPEC 5.1 rule 4):
//! - an allow list, if set, admits only its addresses, and the deny list has no effect;
//! - otherwise the deny list blocks its addresses and all others pass;
//! - a list is *set* if it has any entry, enabled or not, so **disabling an entry never widens
//!   access**: an allow list whose entries are all disabled admits nobody.
//!
//! An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) equals its IPv4 address everywhere, in entries
//! and in checked addresses. Other IPv6 forms that contain an IPv4 address (NAT64, 6to4,
//! IPv4-compatible) are ordinary IPv6 addresses, and `::/0` covers no IPv4.

mod compiled;
mod explain;
mod lint;
mod list;
mod policy;
mod range;
mod subset;

pub use compiled::CompiledIpPolicy;
pub use explain::Explanation;
pub use lint::IpLint;
pub use list::{IpEntry, IpList, IpListError, MAX_IP_ENTRIES};
pub use policy::{IpListName, IpPolicy, IpVerdict};
pub use range::{IpRange, IpRangeError};
