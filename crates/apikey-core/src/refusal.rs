//! The reasons for refusing a key.

/// The true reason for refusing a key, for the log and the metrics. A client gets the same response
/// for all of them, except for [`is_ip`](Self::is_ip) (SPEC 7).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyRefusal {
    /// The key with this lookup id is disabled; the secret was not compared.
    #[error("the key is disabled")]
    Disabled,
    /// The secret is right, but the date is reached.
    #[error("the key is expired")]
    Expired,
    /// The secret is right, but an allow list is set and does not contain the address.
    #[error("the address is not on the key's IP allow list")]
    NotOnAllowList,
    /// The secret is right, but the address is on the deny list.
    #[error("the address is on the key's IP deny list")]
    OnDenyList,
    /// No record has this lookup id: never issued, or deleted.
    #[error("there is no such key")]
    Unknown,
    /// The record names a pepper that is not configured.
    #[error("the key's digest was made with a pepper that is not configured")]
    UnknownPepper,
    /// The lookup id is right, but the secret is not.
    #[error("the key's secret is wrong")]
    WrongSecret,
}

impl KeyRefusal {
    /// Returns whether the address is the reason, which a client may know (SPEC 7, *Access denied
    /// although the key is valid*). It is only ever true after the secret was verified.
    #[must_use]
    pub fn is_ip(self) -> bool {
        matches!(self, Self::NotOnAllowList | Self::OnDenyList)
    }

    /// Returns a short fixed word for metrics and logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Expired => "expired",
            Self::NotOnAllowList => "not_on_allow_list",
            Self::OnDenyList => "on_deny_list",
            Self::Unknown => "unknown",
            Self::UnknownPepper => "unknown_pepper",
            Self::WrongSecret => "wrong_secret",
        }
    }
}
