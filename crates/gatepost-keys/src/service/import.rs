//! The import of keys from another system, with the tokens that clients already have.

use std::sync::Arc;

use apikey_core::{KeyDraft, MaskedKey};
use chrono::{DateTime, Utc};
use gatepost_ids::AccessLevel;
use gatepost_storage::ErrorKind;
use gatepost_storage::keys::KeyRow;

use super::key_service::KeyService;
use super::realm_assignment::place;
use crate::error::KeyError;
use crate::platform_calls;
use crate::principal::Principal;

impl KeyService {
    /// Imports a key of another system, by the SHA-256 of its whole token: 16 to 512 visible ASCII
    /// characters, as clients send them after `Bearer `. Its holders notice nothing. `masked` is
    /// the masked form that users see in lists: it must not contain the secret. `created` is the
    /// creation time in the other system; a time in the future becomes now.
    ///
    /// Only system administrators may import, since no quota applies, neither for keys nor for
    /// changes, and no notices are sent. An imported key that exists already is returned as it is,
    /// so an import may be repeated after a failure.
    ///
    /// # Errors
    /// [`KeyError::Forbidden`], [`KeyError::Beyond`], [`KeyError::OverLimit`],
    /// [`KeyError::NoSuchOwner`], [`KeyError::NameTaken`], [`KeyError::OthersToken`],
    /// [`KeyError::Draft`] for a key that has expired, and failures of the store.
    pub async fn import(
        &self,
        actor: &Principal,
        draft: KeyDraft,
        token_sha256: [u8; 32],
        masked: MaskedKey,
        created: DateTime<Utc>,
    ) -> Result<KeyRow, KeyError> {
        let keys = &self.0.keys;
        if actor.access != AccessLevel::SystemAdministrator {
            return Err(KeyError::Forbidden);
        }
        self.check_limit(draft.limit)?;
        self.check_draft(actor, &draft).await?;
        let account = platform_calls::account(self.accounts().as_ref(), draft.owner).await?;
        let account = account.ok_or(KeyError::NoSuchOwner)?;
        let now = keys.clock.now();
        let record = draft
            .import_sha256(token_sha256, masked, created.min(now), now)
            .map_err(|error| KeyError::Draft(Arc::new(error)))?;
        let store = keys.store.as_ref();
        place(store, record.owner, &account, now).await?;
        match store.insert_key(&record, u64::MAX).await {
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let same = store.key_by_lookup(record.lookup).await?;
                let same = same.ok_or(KeyError::NameTaken)?;
                let is_owners = same.key.owner == record.owner;
                is_owners.then_some(same).ok_or(KeyError::OthersToken)
            }
            Err(error) => Err(error.into()),
            Ok(row) => {
                // Its token may have been presented, and refused, before.
                self.forget_changed(row.key.lookup).await;
                let (key, owner) = (row.id.0, row.key.owner);
                tracing::info!(key, %owner, by = %actor.owner, "key imported");
                Ok(row)
            }
        }
    }
}
