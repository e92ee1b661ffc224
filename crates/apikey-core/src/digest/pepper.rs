use std::fmt;
use std::hint::black_box;

use sha2::{Digest as _, Sha256};

use super::pepper_id::PepperId;
use super::scheme::{DigestScheme, ImportedScheme};
use super::sha256::{HmacKey, sha256};
use super::stored::{Digest, equal};
use crate::key::{ID_SECRET_LEN, PresentedKey};

/// The minimum length: fewer bytes would be weaker than the digest itself (RFC 2104 section 3).
const MIN_SECRET: usize = 32;

/// A secret of the platform that is part of each digest, so that a stolen table is useless even for
/// checking a guess. It is stored outside the database. Wiped when dropped; `Debug` prints the id.
pub struct Pepper {
    id: PepperId,
    key: HmacKey,
}

/// The peppers of a platform: one for new digests, and older ones (or none at all).
///
/// Neither `Clone` nor printable: share it in an `Arc`.
#[derive(Debug, Default)]
pub struct Peppers {
    current: Option<Pepper>,
    old: Vec<Pepper>,
}

/// The result of [`Peppers::verify`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[must_use]
#[allow(
    clippy::exhaustive_enums,
    reason = "a decision: each case has to be handled"
)]
pub enum DigestMatch {
    /// The key matches the digest.
    Match {
        /// The digest was made by an older scheme or pepper: store a new one ([`Peppers::digest`])
        /// while the key is available.
        needs_rehash: bool,
    },
    /// The key does not match the digest.
    Mismatch,
    /// The record names a pepper that is not configured: a mistake in the configuration.
    UnknownPepper,
}

/// The reason why a pepper is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PepperError {
    /// Two peppers have the same id.
    #[error("two peppers have the id {0}: a new pepper needs a new id")]
    Duplicate(PepperId),
    /// The secret is too short.
    #[error("the secret of pepper {0} must be at least 32 bytes long")]
    TooShort(PepperId),
}

impl Pepper {
    /// Creates a pepper from at least 32 random bytes.
    ///
    /// # Errors
    /// [`PepperError::TooShort`].
    pub fn new(id: PepperId, secret: &[u8]) -> Result<Self, PepperError> {
        if secret.len() < MIN_SECRET {
            return Err(PepperError::TooShort(id));
        }
        Ok(Self {
            id,
            key: HmacKey::new(secret),
        })
    }

    /// Returns the id that records contain.
    #[must_use]
    pub fn id(&self) -> PepperId {
        self.id
    }
}

impl Peppers {
    /// Creates a set without a pepper: new digests are plain SHA-256.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Creates a set that makes new digests with `current`.
    #[must_use]
    pub fn new(current: Pepper) -> Self {
        Self {
            current: Some(current),
            old: Vec::new(),
        }
    }

    /// Adds an older pepper, which only verifies digests.
    ///
    /// # Errors
    /// [`PepperError::Duplicate`].
    pub fn with_old(mut self, old: Pepper) -> Result<Self, PepperError> {
        if self.find(old.id).is_some() {
            return Err(PepperError::Duplicate(old.id));
        }
        self.old.push(old);
        Ok(self)
    }

    /// Returns the scheme of new digests.
    #[must_use]
    pub fn scheme(&self) -> DigestScheme {
        match &self.current {
            Some(pepper) => DigestScheme::HmacSha256 { pepper: pepper.id },
            None => DigestScheme::Sha256,
        }
    }

    /// Returns the digest to store for a key: of `id_secret` under the current pepper, or without
    /// one. For an [imported](PresentedKey::imported) token it uses the imported scheme.
    #[must_use]
    pub fn digest(&self, key: &PresentedKey<'_>) -> Digest {
        match (key.id_secret(), &self.current) {
            (None, _) => Digest::new(
                DigestScheme::Imported(ImportedScheme::Sha256),
                Sha256::digest(key.whole()).into(),
            ),
            (Some(id_secret), Some(pepper)) => {
                Digest::new(self.scheme(), pepper.key.mac(id_secret))
            }
            (Some(id_secret), None) => Digest::new(self.scheme(), sha256(id_secret)),
        }
    }

    /// Compares a key with a stored digest, in a time that depends only on the scheme.
    #[inline]
    pub fn verify(&self, key: &PresentedKey<'_>, stored: &Digest) -> DigestMatch {
        // An imported token has no such part. It is still hashed like any other and the result
        // discarded, so that the time does not reveal which kind of record was found.
        let id_secret = key.id_secret();
        let message = id_secret.unwrap_or(&[0; ID_SECRET_LEN]);
        let (computed, comparable, needs_rehash) = match stored.scheme {
            DigestScheme::HmacSha256 { pepper } => match &self.current {
                Some(current) if current.id == pepper => {
                    (current.key.mac(message), id_secret.is_some(), false)
                }
                _ => {
                    let Some(old) = self.old.iter().find(|old| old.id == pepper) else {
                        let _ = black_box(self.digest(key));
                        return DigestMatch::UnknownPepper;
                    };
                    (old.key.mac(message), id_secret.is_some(), true)
                }
            },
            DigestScheme::Sha256 => (sha256(message), id_secret.is_some(), self.current.is_some()),
            DigestScheme::Imported(ImportedScheme::Sha256) => {
                (Sha256::digest(key.whole()).into(), true, false)
            }
        };
        if equal(&computed, &stored.bytes) & comparable {
            DigestMatch::Match { needs_rehash }
        } else {
            DigestMatch::Mismatch
        }
    }

    fn find(&self, id: PepperId) -> Option<&Pepper> {
        self.current.iter().chain(&self.old).find(|p| p.id == id)
    }
}

impl fmt::Debug for Pepper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pepper({}, redacted)", self.id)
    }
}
