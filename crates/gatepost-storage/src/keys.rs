//! The storage trait for API keys.

use apikey_core::{ApiKey, KeyId, LastLogin, LookupId};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use gatepost_ids::OwnerId;

use crate::error::{ErrorKind, StoreError};
pub use crate::key_use::KeyUse;
use crate::owners::OwnerStore;
use crate::page::{Page, Revision, Scope};

/// A stored key. The record's own `created` is the time of insertion.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRow {
    /// The row number: positive, never reused.
    pub id: KeyId,
    /// The number of edits of this row. A recorded login is not an edit.
    pub revision: Revision,
    /// The record.
    pub key: ApiKey,
    /// The keys that it was rolled from and to.
    pub rolled: Rolled,
}

/// The links between keys that [`KeyStore::roll_key`] creates. A linked key may have been deleted;
/// its row number is never reused.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Rolled {
    /// The key that it replaced.
    pub from: Option<KeyId>,
    /// The key that replaced it.
    pub to: Option<KeyId>,
}

/// The key that [`KeyStore::find_key`] looks up.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum KeySelector {
    /// The key with this row number.
    Id(KeyId),
    /// The key whose string contains this lookup id.
    Lookup(LookupId),
}

/// A filter for keys: all criteria that are `Some` must match.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyQuery {
    /// The owners of the keys.
    pub scope: Scope,
    /// Only keys of exactly this name.
    pub name: Option<String>,
    /// The page, by row number.
    pub page: Page<KeyId>,
}

impl KeyQuery {
    /// Returns a query for all keys, page by page.
    #[must_use]
    pub fn all(page: Page<KeyId>) -> Self {
        Self {
            scope: Scope::All,
            name: None,
            page,
        }
    }

    /// Returns a query for the keys of one owner.
    #[must_use]
    pub fn of_owner(owner: OwnerId, page: Page<KeyId>) -> Self {
        Self {
            scope: Scope::Owner(owner),
            name: None,
            page,
        }
    }
}

/// A successful authentication, to be written to the record.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Login {
    /// The key that authenticated.
    pub key: KeyId,
    /// The time and the client address.
    pub login: LastLogin,
}

/// One of 256 shards of all keys, selected by a hash of the lookup id. An edit changes only its
/// own shard's generation, so that the edits of one owner do not invalidate the cached keys of
/// all owners.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct KeyShard(pub u8);

impl KeyShard {
    /// The number of shards.
    pub const COUNT: usize = 256;

    /// Returns the shard of a lookup id. It is the same in every process, version and backend.
    #[inline]
    #[must_use]
    pub fn of(lookup: LookupId) -> Self {
        // The characters are random base58; a multiplication spreads them over eight bits.
        let [high, low] = halves(lookup.as_u128());
        let mixed = (high ^ low.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let [first, ..] = mixed.to_be_bytes();
        Self(first)
    }
}

fn halves(number: u128) -> [u64; 2] {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = number.to_be_bytes();
    [
        u64::from_be_bytes([a, b, c, d, e, f, g, h]),
        u64::from_be_bytes([i, j, k, l, m, n, o, p]),
    ]
}

/// The generation of a shard. It changes with each edit and deletion of a key in the shard, by any
/// process. All generations come from one counter of the store; a shard has the number of its last
/// change.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct KeyGeneration(pub i64);

/// The edits and deletions in a shard since some generation.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyChanges {
    /// The generation up to which `changed` is complete.
    pub generation: KeyGeneration,
    /// The keys to forget.
    pub changed: ChangedKeys,
}

/// The keys that a cache must forget.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangedKeys {
    /// These keys. The list may be empty and may contain a key twice.
    These(Vec<LookupId>),
    /// All keys: the store no longer knows the changes since then.
    All,
}

/// Stores API keys.
///
/// # Contract
/// - If a method returns `Ok`, the store must have stored the change, durably if the backend is
///   durable. If it returns `Err`, the store must have stored nothing; [`ErrorKind::Unavailable`]
///   states the only exception.
/// - Times must be truncated (not rounded) to the microsecond, also in returned values.
/// - A store must not read a clock.
/// - Any number of tasks may call any methods at the same time.
/// - A dropped future must leave all of its change or nothing.
#[async_trait]
pub trait KeyStore: OwnerStore {
    /// Stores a new key and assigns a row number to it.
    ///
    /// If several calls insert the same `(owner, name)` or the same `lookup` at the same time,
    /// exactly one must succeed.
    ///
    /// # Errors
    /// `Conflict` if the owner has a key of that name, or a key with that lookup id exists; `Full`
    /// if the owner has `at_most` keys or more.
    async fn insert_key(&self, key: &ApiKey, at_most: u64) -> Result<KeyRow, StoreError>;

    /// Returns the number of the owner's keys, as [`usage`](OwnerStore::usage) does.
    ///
    /// # Errors
    /// The errors of `usage`.
    async fn count_keys(&self, owner: OwnerId) -> Result<u64, StoreError> {
        Ok(self.usage(owner).await?.keys)
    }

    /// Returns the selected key, whether or not it is expired or disabled; `None` if it does not
    /// exist.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn find_key(&self, selector: KeySelector) -> Result<Option<KeyRow>, StoreError>;

    /// Returns the key with this row number, as [`find_key`](Self::find_key) does.
    ///
    /// # Errors
    /// The errors of `find_key`.
    async fn key(&self, id: KeyId) -> Result<Option<KeyRow>, StoreError> {
        self.find_key(KeySelector::Id(id)).await
    }

    /// Returns the key whose string contains this lookup id, as [`find_key`](Self::find_key) does.
    ///
    /// # Errors
    /// The errors of `find_key`.
    async fn key_by_lookup(&self, lookup: LookupId) -> Result<Option<KeyRow>, StoreError> {
        self.find_key(KeySelector::Lookup(lookup)).await
    }

    /// Returns one page of the keys that match, in order of row number. Expired and disabled keys
    /// must be listed.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn list_keys(&self, query: &KeyQuery) -> Result<Vec<KeyRow>, StoreError>;

    /// Returns the keys that expire before `before`, in order of expiration time and then of row
    /// number. The page has at most `limit` keys after `after`, the expiration time and row number
    /// of the last key of the previous page. The cost must be proportional to the returned keys, no
    /// matter how many keys exist.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn expiring_keys(
        &self,
        after: (DateTime<Utc>, KeyId),
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<KeyRow>, StoreError>;

    /// Updates the row `row.id`, if its revision is still `row.revision`, and changes the
    /// generation of its shard.
    ///
    /// - It replaces name, description, expiration, IP policy, grant, limit, digest, and whether
    ///   the key is enabled.
    /// - It must never change owner, lookup id, masked form, creation time, last login, or the
    ///   links to rolled keys, whatever `row` contains.
    ///
    /// # Errors
    /// `NotFound`; `Stale` if the revision differs; `Conflict` if the new name is taken.
    async fn update_key(&self, row: &KeyRow, now: DateTime<Utc>) -> Result<KeyRow, StoreError>;

    /// Stores a new key that replaces another key of the same owner, and sets the expiration of the
    /// old key, all in one commit. Returns the new key and the old one.
    ///
    /// - `new` is stored as by [`insert_key`](Self::insert_key), with a link to the old key
    ///   `old.id`.
    /// - The revision of the old row must still be `old.revision`. Its expiration is replaced by
    ///   that of `old`, and a link to the new key is stored; nothing else in it may change.
    /// - The store must change the generation of the old key's shard.
    ///
    /// # Errors
    /// `NotFound` if the old key does not exist or has another owner than `new`; `Stale` if its
    /// revision differs; `Conflict` and `Full` as for an insert; both keys count.
    async fn roll_key(
        &self,
        old: &KeyRow,
        new: &ApiKey,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<(KeyRow, KeyRow), StoreError>;

    /// Deletes the key and changes the generation of its shard. After the return no handle on this
    /// database may find it.
    ///
    /// # Errors
    /// `NotFound` if the key does not exist.
    async fn delete_key(&self, id: KeyId, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Deletes those of these keys that exist, each in its own commit, as
    /// [`delete_key`](Self::delete_key) does. Returns the number of deleted keys. After
    /// [`restored`](OwnerStore::restored) it deletes the keys again that the backup brought back;
    /// this is safe because row numbers are never reused. The caller may pass any number of keys,
    /// in one or more calls.
    ///
    /// # Errors
    /// `Unavailable`: call again with the same keys.
    async fn delete_keys(&self, keys: &[KeyId], now: DateTime<Utc>) -> Result<u64, StoreError> {
        let mut deleted = 0;
        for key in keys {
            match self.delete_key(*key, now).await {
                Ok(()) => deleted += 1,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(deleted)
    }

    /// Writes last logins and adds usage counts, all of them or none. The store must skip keys that
    /// no longer exist, and must change neither revision nor generation.
    ///
    /// - For each key the newest login must win, regardless of the order of the calls.
    /// - Usage counts must be added to the stored counts of their keys and days, whichever process
    ///   calls.
    /// - For each key the store must drop the days that lie [`KeyUse::DAYS`] or more before the
    ///   newest day of that key in the call, even if the call itself contains them.
    /// - If a key is deleted, its days must be deleted too.
    ///
    /// After an error the caller may repeat the logins. It must not repeat the usage counts: those
    /// that were stored count once, and those that were not stored are missing.
    ///
    /// # Errors
    /// `Unavailable`: nothing was stored, or, if the result is unknown, everything.
    async fn record_activity(&self, logins: &[Login], uses: &[KeyUse]) -> Result<(), StoreError>;

    /// Writes last logins, as [`record_activity`](Self::record_activity) does.
    ///
    /// # Errors
    /// The errors of `record_activity`.
    async fn record_logins(&self, logins: &[Login]) -> Result<(), StoreError> {
        self.record_activity(logins, &[]).await
    }

    /// Adds usage counts, as [`record_activity`](Self::record_activity) does.
    ///
    /// # Errors
    /// The errors of `record_activity`.
    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        self.record_activity(&[], uses).await
    }

    /// Returns the daily usage of a key from `from` until before `before`: the newest day first, at
    /// most `limit`. The list is empty if the key does not exist, or if `from` is not before
    /// `before`.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn key_uses(
        &self,
        key: KeyId,
        from: NaiveDate,
        before: NaiveDate,
        limit: u32,
    ) -> Result<Vec<KeyUse>, StoreError>;

    /// Returns the current generation of a shard. Cached keys of the shard are up to date if the
    /// cache is complete up to this generation or a later one. Returns `None` while the store
    /// cannot know whether other processes have changed keys; a cache must not be used then.
    ///
    /// It is called before every use of a cached key, so it is synchronous and must be cheap (at
    /// most microseconds, no round trip). Once `update_key`, `delete_key`, or `mark_gone` of the
    /// key's owner has returned on any handle in any process, this must return a later generation
    /// of that key's shard, or `None`, on every handle of the database: immediately, or within the
    /// delay that the backend documents.
    fn key_generation(&self, shard: KeyShard) -> Option<KeyGeneration>;

    /// Returns the keys of a shard that were edited, deleted, or removed with their owner after
    /// `since`. A store that never saw `since`, or has forgotten the changes after it, must return
    /// [`ChangedKeys::All`].
    ///
    /// # Errors
    /// `Unavailable`.
    async fn key_changes(
        &self,
        shard: KeyShard,
        since: KeyGeneration,
    ) -> Result<KeyChanges, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_shard_is_stable_and_ids_are_spread() {
        let shard = |n: u8| KeyShard::of(LookupId::of_imported(&[n; 32])).0;
        assert_eq!([1, 2, 3].map(shard), [55, 154, 156]);
        let used: std::collections::HashSet<u8> = (0..=u8::MAX).map(shard).collect();
        // About 162 of 256 random ones differ.
        assert!(used.len() > 130, "{} of 256", used.len());
    }
}
