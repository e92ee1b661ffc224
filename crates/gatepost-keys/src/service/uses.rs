//! The usage of keys, with authorization.

use apikey_core::KeyId;
use chrono::NaiveDate;
use gatepost_storage::keys::KeyUse;

use super::key_service::KeyService;
use crate::error::KeyError;
use crate::principal::Principal;

impl KeyService {
    /// Returns the daily usage of a key from `from` until before `before`, in UTC: the newest day
    /// first, at most `limit`. Returns `None` if the key does not exist or the caller may not see
    /// it. [`KeyUse::DAYS`] days are kept for each key.
    ///
    /// The counts of other processes for the last seconds may be missing; the unwritten counts of a
    /// killed process are lost.
    ///
    /// # Errors
    /// Failures of the store and of the accounts.
    pub async fn uses(
        &self,
        actor: &Principal,
        key: KeyId,
        from: NaiveDate,
        before: NaiveDate,
        limit: u32,
    ) -> Result<Option<Vec<KeyUse>>, KeyError> {
        // This writes the notes first.
        if self.get(actor, key).await?.is_none() {
            return Ok(None);
        }
        let store = &self.0.keys.store;
        Ok(Some(store.key_uses(key, from, before, limit).await?))
    }
}
