//! Creating a key.

use chrono::{DateTime, Utc};
use rand::CryptoRng;

use super::new_key::NewKey;
use crate::digest::Peppers;
use crate::key::{KeyString, Prefix};
use crate::record::{DraftError, KeyDraft};

impl KeyDraft {
    /// Creates the key: generates its string, digests it, and returns the record to store together
    /// with the single permission to show the string.
    ///
    /// # Errors
    /// [`DraftError`].
    pub fn issue(
        self,
        prefix: &Prefix,
        peppers: &Peppers,
        rng: &mut impl CryptoRng,
        now: DateTime<Utc>,
    ) -> Result<NewKey, DraftError> {
        self.expiration.check(now)?;
        let key = KeyString::generate(prefix, rng)?;
        let digest = peppers.digest(&key.presented());
        let record = self.record(key.lookup(), key.masked().clone(), digest, now);
        Ok(NewKey::new(record, key))
    }
}
