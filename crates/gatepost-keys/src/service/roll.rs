//! Rolling: a new key replaces another, and both are valid for a while.

use std::sync::Arc;

use apikey_core::{ApiKey, KeyId, KeyName, Overlap, RevealOnce, Successor};
use chrono::{DateTime, Utc};
use gatepost_storage::ErrorKind;
use gatepost_storage::keys::KeyRow;

use super::key_service::KeyService;
use super::realm_assignment::place;
use crate::error::KeyError;
use crate::observer::KeyNoticeKind;
use crate::platform_calls;
use crate::principal::Principal;

/// The maximum number of names that are tried, and of restarts if others edit the key.
const TRIES: usize = 32;

impl KeyService {
    /// Creates a key that replaces another: it has all of its fields except the string, under the
    /// next name (`ci (2)` after `ci`). The old key stays valid for the overlap, and never longer
    /// than it would have been. The second part of the result contains the plaintext of the new
    /// key, to be shown once.
    ///
    /// If the key has an expiration date, the new key gets one that is as far ahead as the old date
    /// was when the key was created. In a request with an API key the date is kept, and the new key
    /// must not exceed the permissions of that key: a key that rolls itself gains nothing.
    ///
    /// # Errors
    /// [`KeyError::NotFound`], [`KeyError::AlreadyRolled`], [`KeyError::Disabled`],
    /// [`KeyError::Beyond`], [`KeyError::NoSuchOwner`], [`KeyError::NameTaken`] if the next 32
    /// names are taken, [`KeyError::Edit`] for an expired key, [`KeyError::Full`],
    /// [`KeyError::TooFast`], and failures of the store.
    pub async fn roll(
        &self,
        actor: &Principal,
        id: KeyId,
        overlap: Overlap,
    ) -> Result<(KeyRow, RevealOnce), KeyError> {
        let keys = &self.0.keys;
        let (mut name, mut refusal): (Option<KeyName>, _) = (None, KeyError::NameTaken);
        for n in 0..TRIES {
            let old = self.stored(actor, id).await?.ok_or(KeyError::NotFound)?;
            let now = keys.clock.now();
            let Successor { draft, old_ends } = self.successor(actor, &old, overlap, now).await?;
            if n == 0 {
                let account =
                    platform_calls::account(self.accounts().as_ref(), draft.owner).await?;
                let account = account.ok_or(KeyError::NoSuchOwner)?;
                self.0.changes.admit(draft.owner, now)?;
                place(keys.store.as_ref(), draft.owner, &account, now).await?;
            }
            let name = name.get_or_insert(draft.name.clone());
            let named = draft.with_name(name.clone());
            let (record, reveal) = named
                .issue(&self.0.prefix, &keys.peppers, &mut rand::rng(), now)
                .map_err(|e| KeyError::Draft(Arc::new(e)))?
                .into_parts();
            let ended = KeyRow {
                key: ApiKey {
                    expiration: old_ends,
                    ..old.key.clone()
                },
                ..old
            };
            match self.replace(&ended, &record, now).await {
                Err(KeyError::NameTaken) => {
                    *name = name.next();
                    refusal = KeyError::NameTaken;
                }
                Err(KeyError::Store(error)) if error.kind() == ErrorKind::Stale => {
                    refusal = KeyError::Contended;
                }
                Err(error) => return Err(error),
                Ok(new) => {
                    tracing::info!(key = id.0, new = new.id.0, by = %actor.owner, "key rolled");
                    self.0.teller.tell(&new, KeyNoticeKind::Created).await;
                    return Ok((new, reveal));
                }
            }
        }
        Err(refusal)
    }

    /// Returns the new key, if the old one may be rolled.
    async fn successor(
        &self,
        actor: &Principal,
        old: &KeyRow,
        overlap: Overlap,
        now: DateTime<Utc>,
    ) -> Result<Successor, KeyError> {
        if let Some(to) = old.rolled.to
            && self.0.keys.store.key(to).await?.is_some()
        {
            return Err(KeyError::AlreadyRolled);
        }
        if !old.key.enabled {
            return Err(KeyError::Disabled);
        }
        let next = old.key.roll(overlap, now);
        let mut next = next.map_err(|e| KeyError::Edit(Arc::new(e)))?;
        if self.acting_key(actor).await?.is_some() {
            next.draft.expiration = old.key.expiration;
        }
        self.check_draft(actor, &next.draft).await?;
        Ok(next)
    }

    async fn replace(
        &self,
        ended: &KeyRow,
        new: &ApiKey,
        now: DateTime<Utc>,
    ) -> Result<KeyRow, KeyError> {
        let (store, owner) = (&self.0.keys.store, new.owner);
        let most = self.quota(owner)?.keys;
        match store.roll_key(ended, new, most, now).await {
            Ok((new, old)) => {
                self.forget_changed(old.key.lookup).await;
                Ok(new)
            }
            Err(error) if error.kind() == ErrorKind::Full => {
                let have = store.count_keys(owner).await?;
                Err(KeyError::Full { have, most })
            }
            Err(error) => Err(error.into()),
        }
    }
}
