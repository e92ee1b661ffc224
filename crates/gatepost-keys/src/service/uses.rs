//! How often a key was used, read by those who may see the key.

use apikey_core::KeyId;
use chrono::NaiveDate;
use gatepost_storage::keys::KeyUse;

use super::key_service::KeyService;
use crate::error::KeyError;
use crate::principal::Principal;

impl KeyService {
    /// On which days from `from` until before `before`, in UTC, a key was used, and how often: the
    /// newest first, at most `limit`; `None` when there is no such key or it is not the caller's to
    /// see. Of a key [`KeyUse::DAYS`] days are kept.
    ///
    /// What other processes counted in the last seconds may not be there yet; what a process that
    /// was killed had not written is missing.
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
        // This writes what was noted.
        if self.get(actor, key).await?.is_none() {
            return Ok(None);
        }
        let store = &self.0.keys.store;
        Ok(Some(store.key_uses(key, from, before, limit).await?))
    }
}
