use std::fmt;

use super::layout::{CHECK_LEN, ID_LEN, ID_SECRET_LEN, MAX_KEY_LEN, SECRET_LEN, TAIL_LEN};
use super::lookup::LookupId;
use super::masked::MaskedKey;
use super::prefix;
use crate::base58;

/// A key as a client presents it: borrowed from the request, with its form and checksum checked,
/// but not yet compared with a record.
///
/// `Debug` prints the masked form, never the secret.
#[derive(Clone, Copy)]
pub struct PresentedKey<'a> {
    pub(super) text: &'a str,
    pub(super) lookup: LookupId,
    /// `None` for a token of an older system, which has no such part.
    pub(super) id_secret: Option<&'a [u8; ID_SECRET_LEN]>,
}

impl<'a> PresentedKey<'a> {
    /// Parses a key string strictly: form, alphabet, checksum, and nothing before or after it. It
    /// allocates nothing and takes tens of nanoseconds, so that a mistyped or truncated key is
    /// refused without reading the store (SPEC 7, *truncated*).
    ///
    /// The string is parsed from the right, because the lengths are fixed there and a prefix may
    /// contain `_`. Only the form of the prefix is checked: see [`prefix`](Self::prefix).
    ///
    /// # Errors
    /// [`KeyFormatError`] names the first rule that the text breaks.
    #[inline]
    pub fn parse(text: &'a str) -> Result<Self, KeyFormatError> {
        let bytes = text.as_bytes();
        if bytes.len() > MAX_KEY_LEN {
            return Err(KeyFormatError::TooLong);
        }
        let Some((head, tail)) = bytes.split_last_chunk::<TAIL_LEN>() else {
            return Err(KeyFormatError::TooShort);
        };
        let Some((&separator, prefix)) = head.split_last() else {
            return Err(KeyFormatError::TooShort);
        };
        let (Some(id), Some(id_secret), Some(secret_check), Some(check), Some(covered)) = (
            tail.first_chunk::<ID_LEN>(),
            tail.first_chunk::<ID_SECRET_LEN>(),
            tail.last_chunk::<{ SECRET_LEN + CHECK_LEN }>(),
            tail.last_chunk::<CHECK_LEN>(),
            bytes.get(..bytes.len() - CHECK_LEN),
        ) else {
            return Err(KeyFormatError::TooShort);
        };
        if separator != b'_' || tail[ID_LEN] != b'_' {
            return Err(KeyFormatError::Separator);
        }
        prefix::check(prefix).map_err(|_| KeyFormatError::Prefix)?;
        if !(base58::is_base58(id) & base58::is_base58(secret_check)) {
            return Err(KeyFormatError::Alphabet);
        }
        if base58::decode_check(check) != u64::from(crc32fast::hash(covered)) {
            return Err(KeyFormatError::Checksum);
        }
        Ok(Self {
            text,
            lookup: LookupId::from_checked(*id),
            id_secret: Some(id_secret),
        })
    }

    /// Returns the id that identifies the record.
    #[inline]
    #[must_use]
    pub fn lookup(&self) -> LookupId {
        self.lookup
    }

    /// Returns the prefix of the key; empty for an [imported](Self::imported) token. The prefix
    /// decides nothing: the id identifies the record, and the secret proves the key.
    #[must_use]
    pub fn prefix(&self) -> &'a str {
        let end = match self.id_secret {
            Some(_) => self.text.len().saturating_sub(TAIL_LEN + 1),
            None => 0,
        };
        self.text.get(..end).unwrap_or_default()
    }

    /// Returns the masked form, which may be shown or logged.
    #[must_use]
    pub fn masked(&self) -> MaskedKey {
        match self.id_secret {
            Some(_) => MaskedKey::from_parts(self.prefix(), &self.lookup),
            None => MaskedKey::from_parts("imported", &self.lookup),
        }
    }

    #[inline]
    pub(crate) fn id_secret(&self) -> Option<&'a [u8; ID_SECRET_LEN]> {
        self.id_secret
    }

    pub(crate) fn whole(&self) -> &'a [u8] {
        self.text.as_bytes()
    }
}

impl fmt::Debug for PresentedKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PresentedKey({})", self.masked())
    }
}

/// The reason why a text is not a key string. The text itself is never part of the message.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFormatError {
    /// The id, the secret or the checksum contains a character outside the alphabet.
    #[error("key holds a character that keys do not have")]
    Alphabet,
    /// The checksum does not match: the key was mistyped, truncated, or changed.
    #[error("key is mistyped or damaged: its checksum does not fit")]
    Checksum,
    /// The prefix is invalid.
    #[error("key begins with no valid prefix")]
    Prefix,
    /// A required `_` is missing.
    #[error("key does not have the form prefix_id_secret")]
    Separator,
    /// Longer than any key.
    #[error("key is too long")]
    TooLong,
    /// Shorter than any key: truncated.
    #[error("key is too short: it may have been truncated")]
    TooShort,
}
