use std::fmt;

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::layout::{CHECK_LEN, ID_LEN, ID_SECRET_LEN, TAIL_LEN};
use super::lookup::LookupId;
use super::masked::MaskedKey;
use super::prefix::Prefix;
use super::presented::PresentedKey;
use crate::base58;

/// A whole key string, owned, at its creation. Wiped from memory when dropped; neither `Clone` nor
/// `Serialize`; `Debug` prints the masked form.
pub struct KeyString {
    text: Zeroizing<String>,
    /// The part that the digest covers, stored separately so that the digest needs no fallible
    /// parsing.
    id_secret: Box<Zeroizing<[u8; ID_SECRET_LEN]>>,
    lookup: LookupId,
    masked: MaskedKey,
}

impl KeyString {
    /// Generates a new key: 94 random bits of id, 193 of secret. The generator must be the
    /// operating system's, or be seeded by it.
    ///
    /// # Errors
    /// [`GeneratorError`] if the generator returns nothing usable.
    pub fn generate(prefix: &Prefix, rng: &mut impl CryptoRng) -> Result<Self, GeneratorError> {
        let mut id_secret = Box::new(Zeroizing::new([b'_'; ID_SECRET_LEN]));
        let mut id = [0; ID_LEN];
        if !base58::draw(&mut id, rng) || !base58::draw(&mut id_secret[ID_LEN + 1..], rng) {
            return Err(GeneratorError);
        }
        id_secret[..ID_LEN].copy_from_slice(&id);

        // Exactly as large as needed: a growing buffer would leave copies of the secret in memory.
        let mut text = Zeroizing::new(String::with_capacity(prefix.as_str().len() + 1 + TAIL_LEN));
        text.push_str(prefix.as_str());
        text.push('_');
        text.extend(id_secret.iter().copied().map(char::from));
        let check: [u8; CHECK_LEN] = base58::encode_check(crc32fast::hash(text.as_bytes()));
        text.extend(check.map(char::from));

        let lookup = LookupId::from_checked(id);
        Ok(Self {
            text,
            id_secret,
            lookup,
            masked: MaskedKey::new(prefix, &lookup),
        })
    }

    /// Returns the key string: the secret itself. Handle with care.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn into_text(self) -> Zeroizing<String> {
        self.text
    }

    /// Returns the key as if a client presented it.
    #[must_use]
    pub fn presented(&self) -> PresentedKey<'_> {
        PresentedKey {
            text: &self.text,
            lookup: self.lookup,
            id_secret: Some(&self.id_secret),
        }
    }

    /// Returns the id that identifies the record.
    #[must_use]
    pub fn lookup(&self) -> LookupId {
        self.lookup
    }

    /// Returns the masked form, which may be shown and logged.
    #[must_use]
    pub fn masked(&self) -> &MaskedKey {
        &self.masked
    }
}

/// The random number generator returned no usable bytes: it is broken, and no key may be made from
/// it.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the random number generator gives no usable bytes")]
#[non_exhaustive]
pub struct GeneratorError;

impl fmt::Debug for KeyString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyString({})", self.masked)
    }
}
