//! Tokens of an older system, whose digests were imported and whose format differs.

use sha2::{Digest as _, Sha256};

use super::lookup::LookupId;
use super::presented::{KeyFormatError, PresentedKey};

/// The minimum length: shorter tokens could be guessed.
const MIN_LEN: usize = 16;
/// The maximum length, as in the header parser.
const MAX_LEN: usize = crate::bearer::MAX_TOKEN_LEN;

impl<'a> PresentedKey<'a> {
    /// Parses a token of an older system: 16 to 512 visible ASCII characters of any form. Its
    /// lookup id is derived from its SHA-256 ([`LookupId::of_imported`]), and only a record with an
    /// [imported](crate::DigestScheme::Imported) digest can match it.
    ///
    /// A platform with imported keys calls it for text that [`parse`](Self::parse) refused.
    ///
    /// # Errors
    /// [`KeyFormatError::TooShort`], [`TooLong`](KeyFormatError::TooLong) or
    /// [`Alphabet`](KeyFormatError::Alphabet).
    pub fn imported(text: &'a str) -> Result<Self, KeyFormatError> {
        if text.len() < MIN_LEN {
            Err(KeyFormatError::TooShort)
        } else if text.len() > MAX_LEN {
            Err(KeyFormatError::TooLong)
        } else if !text.bytes().all(|b| b.is_ascii_graphic()) {
            Err(KeyFormatError::Alphabet)
        } else {
            let digest: [u8; 32] = Sha256::digest(text).into();
            Ok(Self {
                text,
                lookup: LookupId::of_imported(&digest),
                id_secret: None,
            })
        }
    }

    /// Returns whether this was created by [`imported`](Self::imported).
    #[must_use]
    pub fn is_imported(&self) -> bool {
        self.id_secret.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_systems_token_is_bounded_visible_ascii() {
        let token = "sk_live_0123456789abcdef";
        let key = PresentedKey::imported(token).unwrap();
        assert!(key.is_imported());
        assert_eq!(key.prefix(), "");
        assert!(!format!("{key:?}").contains("0123456789"));
        let error = |text: &str| PresentedKey::imported(text).unwrap_err();
        for len in [16, 512] {
            assert!(PresentedKey::imported(&"x".repeat(len)).is_ok(), "{len}");
        }
        assert_eq!(error(&"x".repeat(15)), KeyFormatError::TooShort);
        assert_eq!(error(&"x".repeat(513)), KeyFormatError::TooLong);
        assert_eq!(error("0123456789 abcdef"), KeyFormatError::Alphabet);
        assert_eq!(error("0123456789abcdéf"), KeyFormatError::Alphabet);
    }
}
