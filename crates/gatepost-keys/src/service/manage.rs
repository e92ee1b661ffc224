//! Keys are made, read, changed and deleted by those who may (SPEC 2.1, SPEC 3).

use std::sync::Arc;

use apikey_core::{ApiKey, KeyDraft, KeyEdit, KeyId, RevealOnce};
use gatepost_storage::keys::{KeyQuery, KeyRow};
use gatepost_storage::{ErrorKind, StoreError};

use super::key_service::KeyService;
use crate::ask;
use crate::error::KeyError;
use crate::principal::Principal;

/// How many times an edit is applied when others edit the key at the same time.
const TRIES: usize = 8;

/// One page of keys.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyPage {
    /// The keys of the page that the caller may see.
    pub rows: Vec<KeyRow>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<KeyId>,
}

impl KeyService {
    /// Makes a key (SPEC 3, first row). The plaintext is in the second part, to be revealed once.
    ///
    /// # Errors
    /// [`KeyError::Forbidden`], [`KeyError::NoSuchOwner`], [`KeyError::NameTaken`],
    /// [`KeyError::Draft`], and failures of the store.
    pub async fn create(
        &self,
        actor: &Principal,
        draft: KeyDraft,
    ) -> Result<(KeyRow, RevealOnce), KeyError> {
        let parts = &*self.0;
        if !self.authority(actor).may_manage(draft.owner).await? {
            return Err(KeyError::Forbidden);
        }
        if ask::account(self.accounts().as_ref(), draft.owner)
            .await?
            .is_none()
        {
            return Err(KeyError::NoSuchOwner);
        }
        let new = draft
            .issue(
                &parts.prefix,
                &parts.keys.peppers,
                &mut rand::rng(),
                parts.keys.clock.now(),
            )
            .map_err(|e| KeyError::Draft(Arc::new(e)))?;
        let (record, reveal) = new.into_parts();
        let row = parts.keys.store.insert_key(&record).await?;
        tracing::info!(
            key = row.id.0,
            owner = row.key.owner.0,
            by = actor.owner.0,
            "key created"
        );
        Ok((row, reveal))
    }

    /// One key; `None` when there is none or it is not the caller's to see.
    ///
    /// # Errors
    /// Failures of the store and of the accounts.
    pub async fn get(&self, actor: &Principal, id: KeyId) -> Result<Option<KeyRow>, KeyError> {
        self.0.flush_logins().await;
        let Some(row) = self.0.keys.store.key(id).await? else {
            return Ok(None);
        };
        Ok(self
            .authority(actor)
            .may_manage(row.key.owner)
            .await?
            .then_some(row))
    }

    /// One page of the keys that match and are the caller's to see, expired ones included.
    ///
    /// # Errors
    /// Failures of the store and of the accounts.
    pub async fn list(&self, actor: &Principal, mut query: KeyQuery) -> Result<KeyPage, KeyError> {
        self.0.flush_logins().await;
        let mut authority = self.authority(actor);
        if let Some(only) = authority.only() {
            if query.owner.is_some_and(|asked| asked != only) {
                return Ok(KeyPage {
                    rows: Vec::new(),
                    next: None,
                });
            }
            query.owner = Some(only);
        }
        let found = self.0.keys.store.list_keys(&query).await?;
        let full = found.len() >= query.page.limit as usize;
        let next = found.last().map(|row| row.id).filter(|_| full);
        let mut rows = Vec::with_capacity(found.len());
        for row in found {
            if authority.may_manage(row.key.owner).await? {
                rows.push(row);
            }
        }
        Ok(KeyPage { rows, next })
    }

    /// Changes name, description, expiration or IP lists; never the key string (SPEC 2.1 rule 3).
    /// In force for the next request.
    ///
    /// # Errors
    /// [`KeyError::NotFound`], [`KeyError::NameTaken`], [`KeyError::Edit`], and failures of the
    /// store.
    pub async fn edit(
        &self,
        actor: &Principal,
        id: KeyId,
        edit: &KeyEdit,
    ) -> Result<KeyRow, KeyError> {
        let keys = &self.0.keys;
        for _ in 0..TRIES {
            let row = self.get(actor, id).await?.ok_or(KeyError::NotFound)?;
            let now = keys.clock.now();
            let key: ApiKey = edit
                .apply(&row.key, now)
                .map_err(|e| KeyError::Edit(Arc::new(e)))?;
            match keys.store.update_key(&KeyRow { key, ..row }, now).await {
                Err(error) if error.kind() == ErrorKind::Stale => continue,
                Err(error) => return Err(error.into()),
                Ok(row) => {
                    self.forget_changed().await;
                    tracing::info!(key = id.0, by = actor.owner.0, "key edited");
                    return Ok(row);
                }
            }
        }
        Err(KeyError::Store(Arc::new(StoreError::new(
            ErrorKind::Unavailable,
            "the key is being edited by others",
        ))))
    }

    /// Deletes a key: the next request that presents it fails (SPEC 3).
    ///
    /// # Errors
    /// [`KeyError::NotFound`], and failures of the store; the key then still works.
    pub async fn delete(&self, actor: &Principal, id: KeyId) -> Result<(), KeyError> {
        self.get(actor, id).await?.ok_or(KeyError::NotFound)?;
        let keys = &self.0.keys;
        keys.store.delete_key(id, keys.clock.now()).await?;
        self.forget_changed().await;
        tracing::info!(key = id.0, by = actor.owner.0, "key deleted");
        Ok(())
    }

    /// Brings the cache up to date at once. If that fails it stays out of use until it is, so
    /// nothing is lost.
    async fn forget_changed(&self) {
        let keys = &self.0.keys;
        if let Err(error) = keys.cache.sync(keys.store.as_ref()).await {
            tracing::warn!(%error, "the key cache is out of use");
        }
    }
}
