//! Keys are read by those who may, and counted.

use apikey_core::{KeyId, OwnerId};
use gatepost_ids::Quota;
use gatepost_storage::keys::{KeyQuery, KeyRow};

use super::key_service::KeyService;
use crate::error::KeyError;
use crate::principal::Principal;

/// Keys that are read at most to fill one page.
const MOST_READ: usize = 20_000;

/// One page of keys.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KeyPage {
    /// The keys, at most as many as were asked for.
    pub rows: Vec<KeyRow>,
    /// After which key the next page begins; `None` at the end. There may be fewer keys than were
    /// asked for and yet more to come: no call reads more than 20,000.
    pub next: Option<KeyId>,
}

impl KeyService {
    /// One key; `None` when there is none or it is not the caller's to see. What this process has
    /// noted of keys is written first.
    ///
    /// # Errors
    /// Failures of the store and of the accounts.
    pub async fn get(&self, actor: &Principal, id: KeyId) -> Result<Option<KeyRow>, KeyError> {
        self.0.flush().await;
        self.stored(actor, id).await
    }

    /// As [`get`](Self::get), but what this process has noted of keys is not written first: the
    /// last login may be some seconds old. For whoever changes the key next, who is not to wait
    /// until the uses of all keys are written.
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

    /// One page of the keys that match and are the caller's to see, expired ones included. Of a
    /// tenant the store looks up the keys; those that its administrator may not see, because they
    /// are a system administrator's or their user has just left, are left out.
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
