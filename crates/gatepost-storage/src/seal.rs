//! Sealing of secrets at rest: XChaCha20-Poly1305 under a key that the platform holds.
//!
//! A sealed value is `format (1 byte) | key id (4) | nonce (24) | ciphertext and tag`. The context
//! (`webhook.authorization`, …) is authenticated with it, so that a value cannot be moved to
//! another column. Nonces are random; 24 bytes make a repetition practically impossible.

use std::fmt;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use rand::Rng;
use zeroize::Zeroizing;

/// The prefix of a sealed value in a text column. It begins with a control character, because no
/// real message does.
pub(crate) const SEALED: &str = "\u{1}gatepost-sealed:";
const CLEAR: u8 = 0;
const XCHACHA: u8 = 1;
const NONCE: usize = 24;
const HEAD: usize = 1 + 4;

/// A key for sealing, with the number that identifies it in sealed values.
pub struct SealingKey {
    id: u32,
    cipher: XChaCha20Poly1305,
}

impl SealingKey {
    /// Creates a key from 32 random bytes. The number must not have been used for another key of
    /// this database.
    #[must_use]
    pub fn new(id: u32, key: [u8; 32]) -> Self {
        let key = Zeroizing::new(key);
        Self {
            id,
            cipher: XChaCha20Poly1305::new((&*key).into()),
        }
    }
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealingKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// The key that seals, and older keys that still open. Keys rotate without downtime.
#[derive(Debug, Default)]
pub struct SealingKeys {
    current: Option<SealingKey>,
    old: Vec<SealingKey>,
}

/// The result of sealing all webhooks again under the current key.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Resealed {
    /// The number of changed webhooks.
    pub changed: u64,
    /// The number of skipped webhooks, which open under none of the keys.
    pub unreadable: u64,
}

/// The reason why a value cannot be sealed or opened.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum SealError {
    /// It was sealed under a key that is not among those given.
    #[error("sealed under key {0}, which was not given")]
    UnknownKey(u32),
    /// It is not a sealed value, was altered, or was sealed for another column.
    #[error("the sealed value is damaged or does not belong here")]
    Damaged,
    /// The cipher refused to seal: the text is too long.
    #[error("the value is too long to seal")]
    TooLong,
}

impl SealingKeys {
    /// Creates an empty set: values are stored in plaintext. A backend warns about it when it
    /// opens.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            current: None,
            old: Vec::new(),
        }
    }

    /// Creates a set that seals and opens with this key.
    #[must_use]
    pub fn new(current: SealingKey) -> Self {
        Self {
            current: Some(current),
            old: Vec::new(),
        }
    }

    /// Adds an older key, which only opens values.
    #[must_use]
    pub fn with_old(mut self, key: SealingKey) -> Self {
        self.old.push(key);
        self
    }

    /// Returns whether values would be stored in plaintext.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.current.is_none()
    }

    /// Seals `plaintext` for the column that `context` names.
    ///
    /// # Errors
    /// [`SealError::TooLong`] beyond 256 GiB.
    pub(crate) fn seal(&self, plaintext: &[u8], context: &str) -> Result<Vec<u8>, SealError> {
        let Some(key) = &self.current else {
            return Ok([&[CLEAR], plaintext].concat());
        };
        let mut nonce = [0u8; NONCE];
        rand::rng().fill_bytes(&mut nonce);
        let payload = Payload {
            msg: plaintext,
            aad: context.as_bytes(),
        };
        let sealed = key
            .cipher
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| SealError::TooLong)?;
        Ok([&[XCHACHA], &key.id.to_be_bytes()[..], &nonce, &sealed].concat())
    }

    /// Opens a value that [`seal`](Self::seal) returned for the same context, under any of the
    /// keys. A value that was stored in plaintext, before there was a key, is returned unchanged.
    ///
    /// # Errors
    /// [`SealError::UnknownKey`], [`SealError::Damaged`].
    pub(crate) fn open(
        &self,
        sealed: &[u8],
        context: &str,
    ) -> Result<Zeroizing<Vec<u8>>, SealError> {
        match sealed.split_first() {
            Some((&CLEAR, clear)) => Ok(Zeroizing::new(clear.to_vec())),
            Some((&XCHACHA, _)) => {
                let id = key_id(sealed)?;
                let nonce = sealed
                    .get(HEAD..HEAD + NONCE)
                    .and_then(|n| <[u8; NONCE]>::try_from(n).ok())
                    .ok_or(SealError::Damaged)?;
                let msg = sealed.get(HEAD + NONCE..).ok_or(SealError::Damaged)?;
                let key = self.key(id).ok_or(SealError::UnknownKey(id))?;
                let payload = Payload {
                    msg,
                    aad: context.as_bytes(),
                };
                key.cipher
                    .decrypt(&XNonce::from(nonce), payload)
                    .map(Zeroizing::new)
                    .map_err(|_| SealError::Damaged)
            }
            _ => Err(SealError::Damaged),
        }
    }

    /// Returns whether a value is sealed under the current key; if not, sealing it again completes
    /// a rotation.
    pub(crate) fn is_current(&self, sealed: &[u8]) -> bool {
        match &self.current {
            None => sealed.first() == Some(&CLEAR),
            Some(key) => sealed.first() == Some(&XCHACHA) && key_id(sealed) == Ok(key.id),
        }
    }

    fn key(&self, id: u32) -> Option<&SealingKey> {
        self.current.iter().chain(&self.old).find(|k| k.id == id)
    }
}

fn key_id(sealed: &[u8]) -> Result<u32, SealError> {
    let id = sealed
        .get(1..HEAD)
        .and_then(|id| id.try_into().ok())
        .ok_or(SealError::Damaged)?;
    Ok(u32::from_be_bytes(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(id: u32) -> SealingKeys {
        SealingKeys::new(SealingKey::new(id, [u8::try_from(id).unwrap(); 32]))
    }

    #[test]
    fn sealing_hides_text_and_opening_restores_it() {
        let keys = keys(7);
        let sealed = keys
            .seal(b"hunter2-hunter2", "webhook.authorization")
            .unwrap();
        assert!(!sealed.windows(7).any(|w| w == b"hunter2"));
        assert_eq!(
            keys.open(&sealed, "webhook.authorization")
                .unwrap()
                .as_slice(),
            b"hunter2-hunter2"
        );
        assert!(keys.is_current(&sealed));
    }

    #[test]
    fn sealed_value_needs_its_context_key_and_bytes() {
        let one = keys(1);
        let mut sealed = one.seal(b"secret", "a").unwrap();
        assert_eq!(one.open(&sealed, "b").unwrap_err(), SealError::Damaged);
        assert_eq!(
            keys(2).open(&sealed, "a").unwrap_err(),
            SealError::UnknownKey(1)
        );
        for at in HEAD..sealed.len() {
            sealed[at] ^= 1;
            assert_eq!(
                one.open(&sealed, "a").unwrap_err(),
                SealError::Damaged,
                "byte {at}"
            );
            sealed[at] ^= 1;
        }
        for cut in 0..sealed.len() {
            assert!(one.open(&sealed[..cut], "a").is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn rotated_keys_open_old_and_plaintext_values() {
        let old = keys(1).seal(b"x", "a").unwrap();
        let clear = SealingKeys::none().seal(b"y", "a").unwrap();
        let now = keys(2).with_old(SealingKey::new(1, [1; 32]));
        assert_eq!(now.open(&old, "a").unwrap().as_slice(), b"x");
        assert_eq!(now.open(&clear, "a").unwrap().as_slice(), b"y");
        assert!(!now.is_current(&old) && !now.is_current(&clear));
    }

    #[test]
    fn debug_shows_no_key() {
        let shown = format!("{:?}", keys(65));
        assert!(shown.contains("65") && !shown.contains("65, 65"), "{shown}");
    }
}
