//! The verification of a target's certificate.

/// Whether the target's certificate must be valid (SPEC 2.2 *Allow Insecure Certificates*).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "these are all there are")]
pub enum Trust {
    /// Any certificate is accepted: self-signed, expired, for another name. For tests.
    AllowInsecure,
    /// The certificate must be valid for the host name and lead to a trusted root.
    #[default]
    Verify,
}
