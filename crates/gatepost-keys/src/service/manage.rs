//! Creating, changing and deleting keys, with authorization (SPEC 2.1, SPEC 3).

use std::sync::Arc;

use apikey_core::{ApiKey, KeyDraft, KeyEdit, KeyId, LookupId, RevealOnce};
use gatepost_storage::ErrorKind;
use gatepost_storage::keys::KeyRow;

use super::key_service::{KeyService, Parts};
use super::realm_assignment::place;
use crate::error::KeyError;
use crate::observer::KeyNoticeKind;
use crate::platform_calls;
use crate::principal::Principal;

/// The maximum number of times that an edit is applied if others edit the key at the same time.
const TRIES: usize = 8;

impl KeyService {
    /// Creates a key (SPEC 3, first row). The second part of the result contains the plaintext, to
    /// be shown once. A request with an API key cannot create a key with more permissions than its
    /// own.
    ///
    /// # Errors
    /// [`KeyError::Forbidden`], [`KeyError::Beyond`], [`KeyError::OverLimit`],
    /// [`KeyError::NoSuchOwner`], [`KeyError::NameTaken`], [`KeyError::Draft`], [`KeyError::Full`],
    /// [`KeyError::TooFast`], and failures of the store.
    pub async fn create(
        &self,
        actor: &Principal,
        draft: KeyDraft,
    ) -> Result<(KeyRow, RevealOnce), KeyError> {
        let parts = &*self.0;
        if !self.authority(actor).may_manage(draft.owner).await? {
            return Err(KeyError::Forbidden);
        }
        self.check_limit(draft.limit)?;
        self.check_draft(actor, &draft).await?;
        let account = platform_calls::account(self.accounts().as_ref(), draft.owner).await?;
        let account = account.ok_or(KeyError::NoSuchOwner)?;
        let (owner, now) = (draft.owner, parts.keys.clock.now());
        let new = draft
            .issue(&parts.prefix, &parts.keys.peppers, &mut rand::rng(), now)
            .map_err(|e| KeyError::Draft(Arc::new(e)))?;
        let (record, reveal) = new.into_parts();
        parts.changes.admit(owner, now)?;
        let store = parts.keys.store.as_ref();
        place(store, owner, &account, now).await?;
        let most = self.quota(owner)?.keys;
        let row = match store.insert_key(&record, most).await {
            Err(error) if error.kind() == ErrorKind::Full => {
                let have = store.count_keys(owner).await?;
                return Err(KeyError::Full { have, most });
            }
            other => other?,
        };
        tracing::info!(
            key = row.id.0,
            owner = %row.key.owner,
            by = %actor.owner,
            "key created"
        );
        parts.teller.tell(&row, KeyNoticeKind::Created).await;
        Ok((row, reveal))
    }

    /// Changes name, description, expiration, IP lists, grant, request limit, or whether the key is
    /// enabled; never the key string (SPEC 2.1 rule 3). The change applies to the next request.
    ///
    /// - A request with an API key cannot widen a key beyond its own permissions.
    /// - Disabling a key counts as a change but is never refused for that, like a deletion.
    ///   Disabling a disabled key changes nothing.
    /// - A key that another user than its owner disabled cannot be enabled by its owner.
    /// - The last login in the result may be some seconds old.
    ///
    /// # Errors
    /// [`KeyError::NotFound`], [`KeyError::Locked`], [`KeyError::Beyond`], [`KeyError::OverLimit`],
    /// [`KeyError::NameTaken`], [`KeyError::Edit`], [`KeyError::TooFast`], [`KeyError::Contended`],
    /// and failures of the store.
    pub async fn edit(
        &self,
        actor: &Principal,
        id: KeyId,
        edit: &KeyEdit,
    ) -> Result<KeyRow, KeyError> {
        let Parts { keys, changes, .. } = &*self.0;
        let disables = edit.as_switch() == Some(false);
        for n in 0..TRIES {
            let row = self.stored(actor, id).await?.ok_or(KeyError::NotFound)?;
            let now = keys.clock.now();
            if n == 0 && disables {
                changes.count(row.key.owner, now);
            } else if n == 0 {
                changes.admit(row.key.owner, now)?;
            }
            let key: ApiKey = edit
                .apply(&row.key, now)
                .map_err(|e| KeyError::Edit(Arc::new(e)))?;
            let key = locked(actor, edit, &row.key, key)?;
            if key.limit != row.key.limit {
                self.check_limit(key.limit)?;
            }
            self.check_edit(actor, &row.key, &key).await?;
            if disables && key == row.key {
                // A change that is never refused must not make every process read the store without
                // end.
                return Ok(row);
            }
            match keys.store.update_key(&KeyRow { key, ..row }, now).await {
                Err(error) if error.kind() == ErrorKind::Stale => continue,
                Err(error) => return Err(error.into()),
                Ok(row) => {
                    self.forget_changed(row.key.lookup).await;
                    tracing::info!(key = id.0, by = %actor.owner, "key edited");
                    return Ok(row);
                }
            }
        }
        Err(KeyError::Contended)
    }

    /// Deletes a key: the next request that presents it fails (SPEC 3). It counts as a change but
    /// is never refused for that: an owner can always revoke a key.
    ///
    /// # Errors
    /// [`KeyError::NotFound`], and failures of the store; the key then still works.
    pub async fn delete(&self, actor: &Principal, id: KeyId) -> Result<(), KeyError> {
        let Parts { keys, changes, .. } = &*self.0;
        let row = self.stored(actor, id).await?.ok_or(KeyError::NotFound)?;
        let now = keys.clock.now();
        keys.store.delete_key(id, now).await?;
        changes.count(row.key.owner, now);
        self.forget_changed(row.key.lookup).await;
        tracing::info!(key = id.0, by = %actor.owner, "key deleted");
        self.0.teller.tell(&row, KeyNoticeKind::Deleted).await;
        Ok(())
    }

    /// Updates the cache immediately. If that fails, the cache is not used until it is up to date.
    pub(super) async fn forget_changed(&self, key: LookupId) {
        let keys = &self.0.keys;
        if let Err(error) = keys.cache.sync(key, keys.store.as_ref()).await {
            tracing::warn!(%error, "the key cache is out of use");
        }
    }
}

/// Returns the key after an edit, with whether its owner may enable it. A user who disables another
/// user's key locks it, even if its owner had disabled it before.
fn locked(
    actor: &Principal,
    edit: &KeyEdit,
    before: &ApiKey,
    mut after: ApiKey,
) -> Result<ApiKey, KeyError> {
    let is_owners = actor.owner == before.owner;
    if after.enabled && !before.enabled && before.locked && is_owners {
        return Err(KeyError::Locked);
    }
    if after.enabled {
        after.locked = false;
    } else if edit.enabled == Some(false) && !is_owners {
        after.locked = true;
    }
    Ok(after)
}
