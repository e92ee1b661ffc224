use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use super::layout::ID_LEN;
use crate::base58;

/// The public part of a key string, which identifies the record: 16 base58 characters, 94 random
/// bits. It may be shown and logged. It is not the row number, so keys cannot be enumerated.
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct LookupId([u8; ID_LEN]);

impl LookupId {
    /// Derives the lookup id of an imported token from the SHA-256 of the whole token: the older
    /// system's table of digests is sufficient, its tokens are not needed.
    ///
    /// It is a second hash with a label, so that an id that is shown or logged reveals nothing of
    /// the stored digest.
    #[must_use]
    pub fn of_imported(token_sha256: &[u8; 32]) -> Self {
        let seed: [u8; 32] = Sha256::new()
            .chain_update(b"apikey-core imported lookup id\0")
            .chain_update(token_sha256)
            .finalize()
            .into();
        let mut first = [0; 16];
        first.copy_from_slice(&seed[..16]);
        Self(base58::from_seed(u128::from_be_bytes(first)))
    }

    /// Returns the sixteen characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Base58 is ASCII by construction; the empty text is never returned.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Returns the characters as one number, for maps and for columns of 16 bytes. Big-endian, so
    /// that numbers sort like the texts.
    #[inline]
    #[must_use]
    pub fn as_u128(&self) -> u128 {
        u128::from_be_bytes(self.0)
    }

    /// Creates it for parsers that have checked the alphabet.
    #[inline]
    pub(crate) fn from_checked(bytes: [u8; ID_LEN]) -> Self {
        debug_assert!(base58::is_base58(&bytes));
        Self(bytes)
    }
}

/// The reason why a text or number is not a [`LookupId`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("lookup id must be 16 base58 characters")]
#[non_exhaustive]
pub struct LookupIdError;

impl FromStr for LookupId {
    type Err = LookupIdError;

    fn from_str(text: &str) -> Result<Self, LookupIdError> {
        let bytes = text.as_bytes().try_into().map_err(|_| LookupIdError)?;
        checked(bytes)
    }
}

impl TryFrom<u128> for LookupId {
    type Error = LookupIdError;

    /// Converts the result of [`as_u128`](Self::as_u128) back.
    fn try_from(number: u128) -> Result<Self, LookupIdError> {
        checked(number.to_be_bytes())
    }
}

impl fmt::Display for LookupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for LookupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LookupId({})", self.as_str())
    }
}

fn checked(bytes: [u8; ID_LEN]) -> Result<LookupId, LookupIdError> {
    if base58::is_base58(&bytes) {
        Ok(LookupId(bytes))
    } else {
        Err(LookupIdError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookup_id_text_and_number_round_trip() {
        let id: LookupId = "AbCdEfGh12345678".parse().unwrap();
        assert_eq!(id.to_string(), "AbCdEfGh12345678");
        assert_eq!(LookupId::try_from(id.as_u128()), Ok(id));
        let later: LookupId = "AbCdEfGh12345679".parse().unwrap();
        assert!(later > id && later.as_u128() > id.as_u128());
    }

    #[test]
    fn lookup_id_accepts_only_sixteen_base58_characters() {
        for bad in [
            "",
            "AbCdEfGh1234567",
            "AbCdEfGh123456789",
            "AbCdEfGh1234567_",
            "AbCdEfGh1234567é",
            "0bCdEfGh12345678",
        ] {
            assert_eq!(bad.parse::<LookupId>(), Err(LookupIdError), "{bad:?}");
        }
        assert_eq!(LookupId::try_from(0), Err(LookupIdError));
        assert_eq!(LookupId::try_from(u128::MAX), Err(LookupIdError));
    }

    #[test]
    fn imported_ids_are_stable_and_differ() {
        // Stored in other people's databases: this value, computed by another program from the
        // documented rule, must never change.
        let id = LookupId::of_imported(&[7; 32]);
        assert_eq!(id.as_str(), "KEVAQWJLEdzHbBzZ");
        assert_ne!(
            LookupId::of_imported(&[7; 32]),
            LookupId::of_imported(&[8; 32])
        );
    }
}
