//! The decision whether a key, presented from this address at this time, is valid.

use std::hint::black_box;
use std::net::IpAddr;

use chrono::{DateTime, Utc};

use crate::digest::{Digest, DigestMatch, Peppers};
use crate::ip::{CompiledIpPolicy, IpPolicy, IpVerdict};
use crate::key::PresentedKey;
use crate::record::{ApiKey, Expiration};
use crate::refusal::KeyRefusal;

/// The part of a record that the decision needs, in 64 bytes: a cache stores it in its slot, and
/// only a key with IP lists needs one further memory access. `Debug` shows no secret.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Checker {
    digest: Digest,
    expiration: Expiration,
    ip: CompiledIpPolicy,
}

/// The result for a valid key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct Accepted {
    /// The stored digest has an older scheme or pepper: replace it by [`Peppers::digest`].
    pub needs_rehash: bool,
}

/// Checks a key against its record. Pure, and without allocation.
///
/// The digest is compared first, then the expiration is checked, then the address. No other field
/// of the record is read before the digests were compared, so neither the result nor its time
/// reveals anything about a key to a stranger.
///
/// # Errors
/// [`KeyRefusal`], the first reason in that order.
#[inline]
pub fn verify_key(
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

/// Does the same work as for a wrong secret, for a lookup id without a record, or with the record
/// of a disabled key, so that the time does not reveal which ids exist. Always returns
/// [`KeyRefusal::Unknown`].
#[inline]
#[must_use]
pub fn reject_unknown(key: &PresentedKey<'_>, peppers: &Peppers) -> KeyRefusal {
    let nobody = Digest::new(peppers.scheme(), [0; 32]);
    let _ = black_box(peppers.verify(key, black_box(&nobody)));
    KeyRefusal::Unknown
}

impl ApiKey {
    /// Returns the compact form for authentication. A disabled key has none: use
    /// [`reject_unknown`], as for a deleted key.
    #[must_use]
    pub fn checker(&self) -> Option<Checker> {
        self.enabled
            .then(|| Checker::new(self.digest, self.expiration, &self.ip))
    }
}

impl Checker {
    /// Compiles the parts that the decision needs.
    #[must_use]
    pub fn new(digest: Digest, expiration: Expiration, ip: &IpPolicy) -> Self {
        Self {
            digest,
            expiration,
            ip: ip.compile(),
        }
    }

    /// Returns the expiration of the key.
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
