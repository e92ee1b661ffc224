//! A shard of the cache: its entries, and the store's generation that they are valid for.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use gatepost_storage::keys::{ChangedKeys, KeyGeneration, KeyShard};
use gatepost_storage::{KeyStore, StoreError};

use super::entries::Entries;
use super::owners::Owners;
use crate::cached_key::Entry;

/// A generation that no store has.
const NEVER: i64 = i64::MIN;

#[derive(Debug)]
pub(super) struct Slice {
    number: KeyShard,
    pub(super) entries: Entries,
    generation: AtomicI64,
    epoch: AtomicU64,
    /// Serializes the updates of the shard.
    syncing: tokio::sync::Mutex<()>,
}

/// The epoch of a shard, recorded before a record is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epoch(u64);

impl Slice {
    pub(super) fn new(number: KeyShard, capacity: usize) -> Self {
        Self {
            number,
            entries: Entries::new(capacity),
            generation: AtomicI64::new(NEVER),
            epoch: AtomicU64::new(0),
            syncing: tokio::sync::Mutex::new(()),
        }
    }

    #[inline]
    pub(super) fn is_current(&self, store: &dyn KeyStore) -> bool {
        let generation = store.key_generation(self.number);
        generation.is_some_and(|g| g.0 == self.generation.load(Ordering::Acquire))
    }

    pub(super) async fn sync(
        &self,
        store: &dyn KeyStore,
        owners: &Owners,
    ) -> Result<bool, StoreError> {
        let _one = match self.syncing.try_lock() {
            Ok(one) => one,
            // Do not wait for others if the shard is up to date.
            Err(_) if self.is_current(store) => return Ok(true),
            Err(_) => self.syncing.lock().await,
        };
        let Some(now) = store.key_generation(self.number) else {
            return Ok(false);
        };
        let before = self.generation.load(Ordering::Acquire);
        if before == now.0 {
            return Ok(true);
        }
        if before == NEVER {
            // Nothing was ever inserted, so there is nothing to remove.
            self.generation.store(now.0, Ordering::Release);
            return Ok(true);
        }
        let changes = store
            .key_changes(self.number, KeyGeneration(before))
            .await?;
        // This must come first: entries that are being read must not be inserted.
        self.epoch.fetch_add(1, Ordering::AcqRel);
        match changes.changed {
            ChangedKeys::These(keys) => keys.iter().for_each(|key| {
                self.entries.forget(*key, owners);
            }),
            ChangedKeys::All => self.entries.clear(owners),
        }
        // The store will report later changes again; a store that lags behind is not up to date.
        let complete = changes.generation.0.min(now.0);
        self.generation.store(complete, Ordering::Release);
        Ok(complete == now.0)
    }

    pub(super) fn epoch(&self) -> Epoch {
        Epoch(self.epoch.load(Ordering::Acquire))
    }

    pub(super) fn insert(&self, entry: Arc<Entry>, epoch: Epoch, owners: &Owners) -> Arc<Entry> {
        let is_fresh = || self.epoch.load(Ordering::Acquire) == epoch.0;
        self.entries.insert(entry, is_fresh, owners)
    }
}
