//! The target policy: protection from requests to the platform's own networks (SSRF).

mod embedded_ipv4;
mod host_pattern;
mod networks;
mod policy;
mod refusal;
mod special_addresses;

pub use host_pattern::{HostPattern, HostPatternError};
pub use policy::TargetPolicy;
pub use refusal::TargetRefusal;
pub use special_addresses::SpecialPurpose;
