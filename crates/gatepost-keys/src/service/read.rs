//! Reading and counting keys, with authorization.

use apikey_core::{KeyId, OwnerId};
use gatepost_ids::Quota;
use gatepost_storage::keys::{KeyQuery, KeyRow};

use super::key_service::KeyService;
use crate::error::KeyError;
use crate::principal::Principal;

/// The maximum number of keys that are read to fill one page.
const MOST_READ: usize = 20_000;

/// One page of keys.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KeyPage {
    /// The keys, at most as many as requested.
    pub rows: Vec<KeyRow>,
    /// The key after which the next page begins; `None` at the end. A page may have fewer keys than
    /// requested even if more exist: a call reads at most 20,000.
    pub next: Option<KeyId>,
}

impl KeyService {
    /// Returns one key; `None` if it does not exist or the caller may not see it. The notes of this
    /// process are written first.
    ///
    /// # Errors
    /// Failures of the store and of the accounts.
    pub async fn get(&self, actor: &Principal, id: KeyId) -> Result<Option<KeyRow>, KeyError> {
        self.0.flush().await;
        self.stored(actor, id).await
    }

    /// Returns one key as [`get`](Self::get) does, without writing the notes of this process first:
    /// the last login may be some seconds old. It is for a caller who changes the key next and must
    /// not wait until the uses of all keys are written.
    ///
    /// # Errors
    /// Failures of the store and of the accounts.
    pub async fn stored(&self, actor: &Principal, id: KeyId) -> Result<Option<KeyRow>, KeyError> {
        let Some(row) = self.0.keys.store.key(id).await? else {
            return Ok(None);
        };
        Ok(self
            .authority(actor)
            .may_manage(row.key.owner)
            .await?
            .then_some(row))
    }

    /// Returns one page of the keys that match and that the caller may see, including expired ones.
    /// For a tenant the store looks up the keys; keys of system administrators and of users who
    /// have just left, which its administrator may not see, are left out.
    ///
    /// # Errors
    /// Failures of the store and of the accounts.
    pub async fn list(&self, actor: &Principal, mut query: KeyQuery) -> Result<KeyPage, KeyError> {
        self.0.flush().await;
        let mut authority = self.authority(actor);
        let (limit, mut rows, mut read) = (query.page.limit as usize, Vec::new(), 0);
        let Some(scope) = authority.narrow(query.scope).await? else {
            return Ok(KeyPage { rows, next: None });
        };
        query.scope = scope;
        loop {
            query.page.limit = u32::try_from(limit - rows.len()).unwrap_or(u32::MAX);
            let found = self.0.keys.store.list_keys(&query).await?;
            let is_last = found.len() < query.page.limit as usize;
            read += found.len();
            for row in found {
                query.page.after = Some(row.id);
                if authority.may_manage(row.key.owner).await? {
                    rows.push(row);
                }
            }
            let next = query.page.after.filter(|_| !is_last);
            if is_last || rows.len() >= limit || read >= MOST_READ {
                return Ok(KeyPage { rows, next });
            }
        }
    }

    /// Returns the number of a user's keys, including expired ones. The caller must check who may
    /// know it.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn count(&self, owner: OwnerId) -> Result<u64, KeyError> {
        Ok(self.0.keys.store.count_keys(owner).await?)
    }

    /// Returns the maximum number of a user's keys, and how often they may be changed.
    ///
    /// # Errors
    /// [`KeyError::Store`], `Unavailable`, if the platform's quotas panic.
    pub fn quota(&self, owner: OwnerId) -> Result<Quota, KeyError> {
        self.0.changes.quota(owner)
    }

    /// Returns how often this process has changed a user's keys in the current minute.
    #[must_use]
    pub fn changes_in_minute(&self, owner: OwnerId) -> u32 {
        let now = self.0.keys.clock.now();
        self.0.changes.in_minute(owner, now)
    }
}
