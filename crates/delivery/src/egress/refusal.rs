//! The reason for refusing a target.

use super::special_addresses::SpecialPurpose;

/// The rule of a [`TargetPolicy`](crate::TargetPolicy) that refused a target.
///
/// A refusal is final: no retry can help. Its text names the rule and never the address behind a
/// host name, so that a user cannot map a network by error texts.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
pub enum TargetRefusal {
    /// The address is not an ordinary public one, and the platform has advice
    /// ([`TargetPolicy::advise`](crate::TargetPolicy::advise)).
    #[error("the target policy refuses {purpose}: {advice}")]
    Advised {
        /// Its special purpose.
        purpose: SpecialPurpose,
        /// The advice.
        advice: &'static str,
    },
    /// The address is in a network that the platform denied.
    #[error("the target policy denies the network of this target")]
    DeniedNetwork,
    /// The host name is denied, or is not allowed.
    #[error("the target policy does not allow this host name")]
    HostName,
    /// The port is denied, or is not allowed.
    #[error("the target policy does not allow port {0}")]
    Port(u16),
    /// Only `https` targets are allowed.
    #[error("the target policy allows https targets only")]
    Scheme,
    /// The address is not an ordinary public one.
    #[error("the target policy refuses {0}")]
    Special(SpecialPurpose),
}
