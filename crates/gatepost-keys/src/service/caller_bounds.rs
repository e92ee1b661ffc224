//! Bounds for requests with an API key: such a request must not create or edit a key beyond its
//! permissions.

use apikey_core::{ApiKey, KeyDraft, RateLimit};
use gatepost_storage::keys::KeyRow;

use super::key_service::KeyService;
use crate::error::KeyError;
use crate::principal::{Principal, Via};

impl KeyService {
    /// Refuses a new key that would be valid for longer, from more addresses, for more permissions,
    /// or for more requests than the key of the request.
    pub(super) async fn check_draft(
        &self,
        actor: &Principal,
        draft: &KeyDraft,
    ) -> Result<(), KeyError> {
        let Some(acting) = self.acting_key(actor).await? else {
            return Ok(());
        };
        Ok(draft.bounds().check_within(&acting.key.bounds())?)
    }

    /// Refuses an edit that widens a key, unless the key still stays within the permissions of the
    /// request's key. Narrowing is always allowed. Enabling a key widens it, since a disabled key
    /// has no permissions.
    pub(super) async fn check_edit(
        &self,
        actor: &Principal,
        before: &ApiKey,
        after: &ApiKey,
    ) -> Result<(), KeyError> {
        let is_enabled = after.enabled && !before.enabled;
        if !is_enabled && after.bounds().check_within(&before.bounds()).is_ok() {
            return Ok(());
        }
        let Some(acting) = self.acting_key(actor).await? else {
            return Ok(());
        };
        Ok(after.bounds().check_within(&acting.key.bounds())?)
    }

    /// Refuses a request limit of a key that is higher than the platform's for each key.
    pub(super) fn check_limit(&self, own: Option<RateLimit>) -> Result<(), KeyError> {
        match (own, self.request_limits().per_key) {
            (Some(own), Some(most)) if own > most => Err(KeyError::OverLimit { most }),
            _ => Ok(()),
        }
    }

    /// Returns the current row of the key of a request; `None` for a person who logged in.
    ///
    /// # Errors
    /// [`KeyError::Forbidden`] if it was deleted or disabled since, and failures of the store.
    pub async fn acting_key(&self, actor: &Principal) -> Result<Option<KeyRow>, KeyError> {
        let Via::Key(id) = actor.via else {
            return Ok(None);
        };
        let acting = self.0.keys.store.key(id).await?;
        // Deleted or disabled since the request was authenticated.
        let acting = acting.filter(|row| row.key.enabled);
        acting.map(Some).ok_or(KeyError::Forbidden)
    }
}
