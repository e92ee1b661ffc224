//! The judgement: is this key, presented from this address at this time, good?

use std::hint::black_box;
use std::net::IpAddr;

use chrono::{DateTime, Utc};

use crate::digest::{Digest, DigestMatch, Peppers};
use crate::ip::{CompiledIpPolicy, IpPolicy, IpVerdict};
use crate::key::PresentedKey;
use crate::record::{ApiKey, Expiration};
use crate::refusal::KeyRefusal;

/// What a judgement needs of a record, in 64 bytes: a cache holds it in its slot, and only a key
/// with IP lists costs one further hop. `Debug` shows no secret.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Checker {
    digest: Digest,
    expiration: Expiration,
    ip: CompiledIpPolicy,
}

/// The key is good.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct Accepted {
    /// The stored digest is of an older scheme or pepper: replace it by [`Peppers::digest`].
    pub needs_rehash: bool,
}

/// Judges a key by its record. Pure, and without allocation.
///
/// In this order: the digest is compared, then the expiration, then the address. Nothing that a
/// record says is looked at before the digests were compared, so neither the result nor its time
/// tells a stranger anything about a key.
///
/// # Errors
/// [`KeyRefusal`], the first reason in that order.
#[inline]
pub fn judge(
    checker: &Checker,
    key: &PresentedKey<'_>,
    addr: IpAddr,
    now: DateTime<Utc>,
    peppers: &Peppers,
) -> Result<Accepted, KeyRefusal> {
    let needs_rehash = match peppers.verify(key, &checker.digest) {
        DigestMatch::Match { needs_rehash } => needs_rehash,
        DigestMatch::Mismatch => return Err(KeyRefusal::WrongSecret),
        DigestMatch::UnknownPepper => return Err(KeyRefusal::UnknownPepper),
    };
    if checker.expiration.is_expired(now) {
        return Err(KeyRefusal::Expired);
    }
    match checker.ip.verdict(addr) {
        IpVerdict::Allowed => Ok(Accepted { needs_rehash }),
        IpVerdict::NotOnAllowList => Err(KeyRefusal::NotOnAllowList),
        IpVerdict::OnDenyList => Err(KeyRefusal::OnDenyList),
    }
}

/// What to do for a lookup id without a record, or with one of a disabled key: the same work as for
/// a wrong secret, so that time does not tell which ids exist. Always [`KeyRefusal::Unknown`].
#[inline]
#[must_use]
pub fn reject_unknown(key: &PresentedKey<'_>, peppers: &Peppers) -> KeyRefusal {
    let nobody = Digest::new(peppers.scheme(), [0; 32]);
    let _ = black_box(peppers.verify(key, black_box(&nobody)));
    KeyRefusal::Unknown
}

impl ApiKey {
    /// The compact form for authentication. A disabled key has none: nothing judges it, and
    /// [`reject_unknown`] answers for it, as for a key that was deleted.
    #[must_use]
    pub fn checker(&self) -> Option<Checker> {
        self.enabled
            .then(|| Checker::new(self.digest, self.expiration, &self.ip))
    }
}

impl Checker {
    /// Compiles what a judgement needs.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checker_is_one_cache_line() {
        assert_eq!(size_of::<Checker>(), 64);
    }
}
