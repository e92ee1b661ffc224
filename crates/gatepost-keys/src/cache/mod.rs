//! The key cache, which never returns a key that is older than the store's state.
//!
//! Before each use the cache asks the store for the generation of the key's shard, which changes
//! with every edit and deletion of a key in that shard by any process. An entry is used only while
//! its shard is at exactly this generation; otherwise the cache first fetches the changes and
//! removes the changed keys. A concurrent lookup must not insert what it had read before: it
//! records the shard's epoch when it begins, and the cache accepts its entry only if the epoch is
//! still the same.
//!
//! The edits of one owner do not evict the keys of others: an edit changes one of 256 shards, in
//! which only the edited key is removed. An owner has at most a hundredth of all entries.

mod entries;
mod owners;
mod shard;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use apikey_core::LookupId;
pub(crate) use entries::Held;
use gatepost_storage::keys::KeyShard;
use gatepost_storage::{KeyStore, StoreError};
use owners::Owners;
pub(crate) use shard::Epoch;
use shard::Slice;

use crate::cached_key::Entry;

/// An owner may have at most one in this many of all entries.
const OWNERS_PART: usize = 100;

/// A bounded cache.
#[derive(Debug)]
pub(crate) struct Cache {
    shards: Box<[Slice]>,
    owners: Owners,
}

impl Cache {
    pub(crate) fn new(capacity: usize) -> Self {
        let each = capacity.div_ceil(KeyShard::COUNT).max(1);
        let shards = (0..=u8::MAX).map(|number| Slice::new(KeyShard(number), each));
        Self {
            shards: shards.collect(),
            owners: Owners::new((capacity / OWNERS_PART).max(1)),
        }
    }

    /// Returns whether the entry of this key may be used: the generation of its shard is known, and
    /// the shard is at that generation.
    #[inline]
    pub(crate) fn is_current(&self, key: LookupId, store: &dyn KeyStore) -> bool {
        self.shard(key).is_current(store)
    }

    /// Removes the changed keys from the shard of this key. Returns `false` if the store cannot
    /// report changes: the cache must not be used.
    pub(crate) async fn sync(
        &self,
        key: LookupId,
        store: &dyn KeyStore,
    ) -> Result<bool, StoreError> {
        self.shard(key).sync(store, &self.owners).await
    }

    /// Returns the epoch of a shard. Callers must read it before they read the record that they
    /// [`insert`](Self::insert).
    pub(crate) fn epoch(&self, key: LookupId) -> Epoch {
        self.shard(key).epoch()
    }

    /// Inserts an entry, unless its shard was changed since the epoch or its owner is at the limit.
    /// Returns the entry to use: this one, or the existing one.
    pub(crate) fn insert(&self, entry: Arc<Entry>, epoch: Epoch) -> Arc<Entry> {
        let shard = self.shard(entry.lookup());
        shard.insert(entry, epoch, &self.owners)
    }

    /// Returns the entry of a key, if it exists.
    #[inline]
    pub(crate) fn get(&self, key: LookupId) -> Held {
        self.shard(key).entries.get(key)
    }

    #[inline]
    fn shard(&self, key: LookupId) -> &Slice {
        &self.shards[usize::from(KeyShard::of(key).0)]
    }
}
