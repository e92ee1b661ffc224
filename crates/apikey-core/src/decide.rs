//! The decision: does this key, presented from this address at this time, open the door?

use std::hint::black_box;
use std::net::IpAddr;

use chrono::{DateTime, Utc};

use crate::{
    CompiledIpPolicy, Digest, DigestMatch, Expiration, IpPolicy, IpVerdict, Peppers, PresentedKey,
};

/// What a decision needs of a record, in 64 bytes: a cache holds it in its slot, and only a key
/// with IP lists costs one further hop. `Debug` shows no secret.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Checker {
    digest: Digest,
    expiration: Expiration,
    ip: CompiledIpPolicy,
}

/// The key opens the door.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct Grant {
    /// The stored digest is of an older scheme or pepper: replace it by [`Peppers::digest`].
    pub needs_rehash: bool,
}

/// The true reason why a key is refused, for the log and the metrics. A client hears one answer
/// for all of them, except for [`is_ip`](Self::is_ip) (SPEC 7).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyRefusal {
    /// The key is right, its date is reached.
    #[error("the key is expired")]
    Expired,
    /// The key is right, an allow list is set, and the address is not on it.
    #[error("the address is not on the key's IP allow list")]
    NotOnAllowList,
    /// The key is right and the address is on the deny list.
    #[error("the address is on the key's IP deny list")]
    OnDenyList,
    /// No record has this lookup id: never issued, or deleted.
    #[error("there is no such key")]
    Unknown,
    /// The record names a pepper that this host does not know.
    #[error("the key's digest was made with a pepper that is not configured")]
    UnknownPepper,
    /// The lookup id is right, the secret is not.
    #[error("the key's secret is wrong")]
    WrongSecret,
}

/// Decides. Pure, and without allocation.
///
/// In this order: the digest is compared, then the expiration, then the address. Nothing that a
/// record says is looked at before the digests were compared, so neither the answer nor its time
/// tells a stranger anything about a key.
///
/// # Errors
/// [`KeyRefusal`], the first reason in that order.
#[inline]
pub fn decide(
    checker: &Checker,
    key: &PresentedKey<'_>,
    addr: IpAddr,
    now: DateTime<Utc>,
    peppers: &Peppers,
) -> Result<Grant, KeyRefusal> {
    let needs_rehash = match peppers.verify(key, &checker.digest) {
        DigestMatch::Match { needs_rehash } => needs_rehash,
        DigestMatch::Mismatch => return Err(KeyRefusal::WrongSecret),
        DigestMatch::UnknownPepper => return Err(KeyRefusal::UnknownPepper),
    };
    if checker.expiration.is_expired(now) {
        return Err(KeyRefusal::Expired);
    }
    match checker.ip.decide(addr) {
        IpVerdict::Allowed => Ok(Grant { needs_rehash }),
        IpVerdict::NotOnAllowList => Err(KeyRefusal::NotOnAllowList),
        IpVerdict::OnDenyList => Err(KeyRefusal::OnDenyList),
    }
}

/// What to do for a lookup id without a record: the same work as for a wrong secret, so that time
/// does not tell which ids exist. Always [`KeyRefusal::Unknown`].
#[inline]
#[must_use]
pub fn reject_unknown(key: &PresentedKey<'_>, peppers: &Peppers) -> KeyRefusal {
    let nobody = Digest::new(peppers.scheme(), [0; 32]);
    let _ = black_box(peppers.verify(key, black_box(&nobody)));
    KeyRefusal::Unknown
}

impl Checker {
    /// Compiles what a decision needs.
    #[must_use]
    pub fn new(digest: Digest, expiration: Expiration, ip: &IpPolicy) -> Self {
        Self {
            digest,
            expiration,
            ip: ip.compile(),
        }
    }

    /// When the key stops being valid.
    #[must_use]
    pub fn expiration(&self) -> Expiration {
        self.expiration
    }
}

impl KeyRefusal {
    /// Whether the address is the reason, of which a client may hear (SPEC 7, *Access denied
    /// although the key is valid*). Only ever true after the secret was proven.
    #[must_use]
    pub fn is_ip(self) -> bool {
        matches!(self, Self::NotOnAllowList | Self::OnDenyList)
    }

    /// A short fixed word for metrics and logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::NotOnAllowList => "not_on_allow_list",
            Self::OnDenyList => "on_deny_list",
            Self::Unknown => "unknown",
            Self::UnknownPepper => "unknown_pepper",
            Self::WrongSecret => "wrong_secret",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checker_is_one_cache_line() {
        assert_eq!(size_of::<Checker>(), 64);
    }
}
