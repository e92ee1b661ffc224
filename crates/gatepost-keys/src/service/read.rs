//! Keys are read by those who may, and counted.

use apikey_core::{KeyId, OwnerId};
use gatepost_ids::Quota;
use gatepost_storage::keys::{KeyQuery, KeyRow};

use super::key_service::KeyService;
use crate::error::KeyError;
use crate::principal::Principal;

/// One page of keys.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyPage {
    /// The keys of the page that the caller may see.
    pub rows: Vec<KeyRow>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<KeyId>,
}

impl KeyService {
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
        let Some(scope) = authority.narrow(query.scope).await? else {
            return Ok(KeyPage {
                rows: Vec::new(),
                next: None,
            });
        };
        query.scope = scope;
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

    /// How many keys a user has, expired ones included. The caller judges who may know it.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn count(&self, owner: OwnerId) -> Result<u64, KeyError> {
        Ok(self.0.keys.store.count_keys(owner).await?)
    }

    /// How many a user may have, and how often they may be changed.
    ///
    /// # Errors
    /// [`KeyError::Store`], `Unavailable`, when the platform's quotas panic.
    pub fn quota(&self, owner: OwnerId) -> Result<Quota, KeyError> {
        self.0.changes.quota(owner)
    }

    /// How often this process has changed a user's keys in the minute that is on.
    #[must_use]
    pub fn changes_in_minute(&self, owner: OwnerId) -> u32 {
        let now = self.0.keys.clock.now();
        self.0.changes.in_minute(owner, now)
    }
}
