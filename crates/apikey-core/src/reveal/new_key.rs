//! A new key until it is shown to its owner.

use std::fmt;

use zeroize::Zeroizing;

use super::pak::Pak;
use crate::key::{KeyString, MaskedKey};
use crate::record::{ApiKey, KeyName};

/// A new key: the record to store, and the key string, not yet shown.
///
/// Neither `Clone` nor `Serialize`. Dropped without [`reveal`](Self::reveal), the string is
/// lost.
#[derive(Debug)]
#[must_use = "the key string is lost unless it is revealed"]
pub struct NewKey {
    record: ApiKey,
    secret: RevealOnce,
}

/// The single permission to show a key string, separate from its record.
#[must_use = "the key string is lost unless it is revealed"]
pub struct RevealOnce(KeyString);

/// A revealed key string: for the popup, the clipboard and the `.PAK` file.
///
/// Wiped when dropped; neither `Clone` nor `Serialize`; `Debug` prints the masked form.
pub struct RevealedKey {
    text: Zeroizing<String>,
    masked: MaskedKey,
}

impl NewKey {
    pub(super) fn new(record: ApiKey, key: KeyString) -> Self {
        Self {
            record,
            secret: RevealOnce(key),
        }
    }

    /// Returns the record to store.
    #[must_use]
    pub fn record(&self) -> &ApiKey {
        &self.record
    }

    /// Returns the record, and the permission to show the key once the record is stored.
    pub fn into_parts(self) -> (ApiKey, RevealOnce) {
        (self.record, self.secret)
    }

    /// Returns the key string, once.
    #[must_use]
    pub fn reveal(self) -> RevealedKey {
        self.secret.reveal()
    }
}

impl RevealOnce {
    /// Returns the key string, once.
    #[must_use]
    pub fn reveal(self) -> RevealedKey {
        let masked = self.0.masked().clone();
        RevealedKey {
            text: self.0.into_text(),
            masked,
        }
    }
}

impl RevealedKey {
    /// Returns the key string: the secret itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the file that *Save* offers.
    #[must_use]
    pub fn pak(&self, name: &KeyName) -> Pak {
        Pak::new(name, &self.text)
    }
}

impl fmt::Debug for RevealOnce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RevealOnce({})", self.0.masked())
    }
}

impl fmt::Debug for RevealedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RevealedKey({})", self.masked)
    }
}
