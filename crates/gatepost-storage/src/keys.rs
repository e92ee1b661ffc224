//! Where API keys are stored.

use apikey_core::{ApiKey, KeyId, LastLogin, LookupId};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use gatepost_ids::OwnerId;

use crate::error::{ErrorKind, StoreError};
pub use crate::key_use::KeyUse;
use crate::owners::OwnerStore;
use crate::page::{Page, Revision, Scope};

/// A key as it is stored. The record's own `created` is the time of insertion.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRow {
    /// The row number: positive, never given out twice.
    pub id: KeyId,
    /// Counts the edits of this row. A recorded login is not an edit.
    pub revision: Revision,
    /// The record.
    pub key: ApiKey,
    /// Whether it was rolled, or came from that.
    pub rolled: Rolled,
}

/// How a key is tied to others by [`KeyStore::roll_key`]. A key that is named here may have been
/// deleted since; its row number is never given out again.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Rolled {
    /// The key whose place it took.
    pub from: Option<KeyId>,
    /// The key that took its place.
    pub to: Option<KeyId>,
}

/// The key that [`KeyStore::find_key`] looks up.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum KeySelector {
    /// The key with this row number.
    Id(KeyId),
    /// The key whose string carries this lookup id.
    Lookup(LookupId),
}

/// Which keys to list: all of those given that are `Some`.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyQuery {
    /// Whose keys.
    pub scope: Scope,
    /// Only keys of exactly this name.
    pub name: Option<String>,
    /// The page, by row number.
    pub page: Page<KeyId>,
}

impl KeyQuery {
    /// Every key, page by page.
    #[must_use]
    pub fn all(page: Page<KeyId>) -> Self {
        Self {
            scope: Scope::All,
            name: None,
            page,
        }
    }

    /// The keys of one owner.
    #[must_use]
    pub fn of_owner(owner: OwnerId, page: Page<KeyId>) -> Self {
        Self {
            scope: Scope::Owner(owner),
            name: None,
            page,
        }
    }
}

/// One successful authentication, to be written to the record.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Login {
    /// The key that authenticated.
    pub key: KeyId,
    /// When, and from where.
    pub login: LastLogin,
}

/// One of the 256 parts of all keys, by a hash of the lookup id: an edit moves its own part only,
/// so that what one owner edits does not empty the caches of all.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct KeySlice(pub u8);

impl KeySlice {
    /// How many there are.
    pub const COUNT: usize = 256;

    /// The slice of a lookup id. The same in every process, version and backend.
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

/// Counts the edits and deletions of keys, whichever process makes them. The numbers come from one
/// counter of the store; a slice has that of its own last change.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct KeyGeneration(pub i64);

/// What was edited or deleted in a slice since some generation.
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
    /// These; may be empty, and may name one twice.
    These(Vec<LookupId>),
    /// All: the store no longer knows what changed since then.
    All,
}

impl ChangedKeys {
    /// From a log that has one entry for each generation of the store and forgets the oldest:
    /// `lookups` are its entries after `since`, of all slices, `generation` is the present one.
    /// [`All`](Self::All) where an entry is missing, or `since` is in the future. What
    /// [`KeyStore::key_changes`] returns is the part that is [of the slice](Self::of_slice).
    #[must_use]
    pub fn logged(lookups: Vec<LookupId>, since: KeyGeneration, generation: KeyGeneration) -> Self {
        let passed = generation.0.checked_sub(since.0);
        let passed = passed.and_then(|passed| usize::try_from(passed).ok());
        if passed == Some(lookups.len()) {
            Self::These(lookups)
        } else {
            Self::All
        }
    }

    /// Those of one slice alone.
    #[must_use]
    pub fn of_slice(mut self, slice: KeySlice) -> Self {
        if let Self::These(lookups) = &mut self {
            lookups.retain(|lookup| KeySlice::of(*lookup) == slice);
        }
        self
    }
}

/// Stores API keys.
///
/// # Contract
/// A method that returns `Ok` has stored what it was given, durably if the backend is
/// durable; one that returns `Err` has stored nothing (see [`ErrorKind::Unavailable`] for the
/// one exception). Times are kept to the microsecond. No method reads a clock. All methods may
/// be called at once from any number of tasks, and a future that is dropped leaves either all
/// or nothing of its work. Times are cut to the microsecond, not rounded, also in what is returned.
#[async_trait]
pub trait KeyStore: OwnerStore {
    /// Stores a new key and gives it a row number.
    ///
    /// Of several inserts at once with one `(owner, name)` or one `lookup`, one succeeds.
    ///
    /// # Errors
    /// `Conflict` when the owner has a key of that name, or a key with that lookup id exists;
    /// `Full` when the owner has `at_most` keys or more.
    async fn insert_key(&self, key: &ApiKey, at_most: u64) -> Result<KeyRow, StoreError>;

    /// How many keys the owner has, as [`usage`](OwnerStore::usage).
    ///
    /// # Errors
    /// Those of `usage`.
    async fn count_keys(&self, owner: OwnerId) -> Result<u64, StoreError> {
        Ok(self.usage(owner).await?.keys)
    }

    /// Returns the selected key, expired or disabled or not; `None` if there is none.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn find_key(&self, selector: KeySelector) -> Result<Option<KeyRow>, StoreError>;

    /// Returns the key with this row number, as [`find_key`](Self::find_key) does.
    ///
    /// # Errors
    /// Those of `find_key`.
    async fn key(&self, id: KeyId) -> Result<Option<KeyRow>, StoreError> {
        self.find_key(KeySelector::Id(id)).await
    }

    /// Returns the key whose string carries this lookup id, as [`find_key`](Self::find_key) does.
    ///
    /// # Errors
    /// Those of `find_key`.
    async fn key_by_lookup(&self, lookup: LookupId) -> Result<Option<KeyRow>, StoreError> {
        self.find_key(KeySelector::Lookup(lookup)).await
    }

    /// One page of the keys that match, in order of row number. Expired and disabled keys are
    /// listed.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn list_keys(&self, query: &KeyQuery) -> Result<Vec<KeyRow>, StoreError>;

    /// The keys that expire before `before`, in order of that moment and then of their row numbers,
    /// at most `limit` beyond `after`, the moment and the row number of the last one of the page
    /// before. Costs what it returns, however many keys there are.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn expiring_keys(
        &self,
        after: (DateTime<Utc>, KeyId),
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<KeyRow>, StoreError>;

    /// Replaces name, description, expiration, IP policy, grant, limit, digest and whether the key
    /// is enabled of the row `row.id`, if its revision is still `row.revision`; moves the
    /// generation of its slice. Owner, lookup id, hint, creation time, last login and what it was
    /// rolled to and from are never changed by this, whatever `row` holds.
    ///
    /// # Errors
    /// `NotFound`; `Stale` when the revision differs; `Conflict` when the new name is taken.
    async fn update_key(&self, row: &KeyRow, now: DateTime<Utc>) -> Result<KeyRow, StoreError>;

    /// Stores a new key that takes the place of another of its owner, and ends that one: all of it
    /// or nothing. `new` is stored as by [`insert_key`](Self::insert_key), as rolled from `old.id`.
    /// Of the row `old.id`, if its revision is still `old.revision`, the expiration is replaced by
    /// that of `old` and the new key noted as rolled to; nothing else of it changes. Moves the
    /// generation of the old one's slice. Returns the new key, then the old one.
    ///
    /// # Errors
    /// `NotFound` when there is no such key, or it is not of the owner of `new`; `Stale` when its
    /// revision differs; `Conflict` and `Full` as those of an insert, in which both keys count.
    async fn roll_key(
        &self,
        old: &KeyRow,
        new: &ApiKey,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<(KeyRow, KeyRow), StoreError>;

    /// Deletes the key and moves the generation of its slice. After the return no handle on this
    /// database finds it.
    ///
    /// # Errors
    /// `NotFound` when there is no such key.
    async fn delete_key(&self, id: KeyId, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Deletes those of these keys that are there, a commit each, as
    /// [`delete_key`](Self::delete_key) does. Returns how many. Called after
    /// [`restored`](OwnerStore::restored), it deletes again what a backup has brought back: no row
    /// number is given twice. Any number may be given, in as many calls as is convenient.
    ///
    /// # Errors
    /// `Unavailable`: to be called again with the same keys.
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

    /// Writes last logins and adds uses, all of them or none. The store must skip keys that no
    /// longer exist, and must change neither revision nor generation.
    ///
    /// For each key the newest login wins, whatever the order of the calls.
    ///
    /// Uses are added to the stored ones of their keys and days, whichever process makes the call.
    /// Of each key the store must drop the days that lie [`KeyUse::DAYS`] or more before the newest
    /// day that the call names of it, also those that the call names itself. A key that is deleted
    /// takes its days along.
    ///
    /// After an error the caller may repeat the logins. It must not repeat the uses: uses that were
    /// stored count once, and uses that were not stored are missing.
    ///
    /// # Errors
    /// `Unavailable`: nothing was stored, or, if the result is unknown, everything.
    async fn record_activity(&self, logins: &[Login], uses: &[KeyUse]) -> Result<(), StoreError>;

    /// Writes last logins, as [`record_activity`](Self::record_activity) does.
    ///
    /// # Errors
    /// Those of `record_activity`.
    async fn record_logins(&self, logins: &[Login]) -> Result<(), StoreError> {
        self.record_activity(logins, &[]).await
    }

    /// Adds uses, as [`record_activity`](Self::record_activity) does.
    ///
    /// # Errors
    /// Those of `record_activity`.
    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        self.record_activity(&[], uses).await
    }

    /// On which days from `from` until before `before` a key was used, and how often: the newest
    /// first, at most `limit`. None of a key that does not exist, and none where `from` is not
    /// before `before`.
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

    /// The current generation of a slice: what a cache holds of it is up to date if it is complete
    /// up to this generation or a later one. `None` while the store cannot tell whether others
    /// have changed keys; a cache must not be used then.
    ///
    /// Called before every use of a cached key, so it is synchronous and cheap (at most
    /// microseconds, no round trip). Once `update_key`, `delete_key` or `mark_gone` of its owner
    /// has returned, on any handle in any process, this returns a later generation of that
    /// key's slice or `None` on every handle of the database, at once or within the bound that
    /// the backend states.
    fn key_generation(&self, slice: KeySlice) -> Option<KeyGeneration>;

    /// The keys of a slice edited, deleted or removed with their owner after `since`. A store that
    /// never saw `since`, or has forgotten what followed it, returns [`ChangedKeys::All`].
    ///
    /// # Errors
    /// `Unavailable`.
    async fn key_changes(
        &self,
        slice: KeySlice,
        since: KeyGeneration,
    ) -> Result<KeyChanges, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_the_same_forever_and_all_are_used() {
        let slice = |n: u8| KeySlice::of(LookupId::of_imported(&[n; 32])).0;
        assert_eq!([1, 2, 3].map(slice), [55, 154, 156]);
        let used: std::collections::HashSet<u8> = (0..=u8::MAX).map(slice).collect();
        // Of 256 drawn by lot some 162 differ.
        assert!(used.len() > 130, "{} of 256", used.len());
    }

    #[test]
    fn a_log_with_a_gap_names_all_keys() {
        let logged = |since, generation, count| {
            let lookups = vec![LookupId::of_imported(&[7; 32]); count];
            let changed =
                ChangedKeys::logged(lookups, KeyGeneration(since), KeyGeneration(generation));
            match changed {
                ChangedKeys::These(lookups) => Some(lookups.len()),
                ChangedKeys::All => None,
            }
        };
        assert_eq!(logged(3, 5, 2), Some(2));
        assert_eq!(logged(5, 5, 0), Some(0));
        assert_eq!(logged(2, 5, 2), None, "the oldest was forgotten");
        assert_eq!(logged(6, 5, 0), None, "a generation of the future");
        assert_eq!(logged(i64::MIN, i64::MAX, 0), None, "no overflow");
    }

    #[test]
    fn changes_of_a_slice_are_its_own() {
        let [one, other] = [1, 2].map(|n| LookupId::of_imported(&[n; 32]));
        let both = ChangedKeys::These(vec![one, other]);
        let own = both.of_slice(KeySlice::of(other));
        assert_eq!(own, ChangedKeys::These(vec![other]));
        assert_eq!(ChangedKeys::All.of_slice(KeySlice(0)), ChangedKeys::All);
    }
}
