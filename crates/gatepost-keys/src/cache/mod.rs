//! Keys in memory, never older than the store says.
//!
//! Before each use the store is asked for its generation, which moves with every edit and deletion
//! of a key by anyone. An entry is used only while the cache stands at that very generation;
//! otherwise the changes are fetched and the changed keys forgotten first. A lookup that was under
//! way at that time may not put back what it had read before: it notes the epoch when it begins,
//! and an entry is taken only if the epoch is still the same.

mod shard;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use apikey_core::{LastLogin, LookupId, PresentedKey};
use gatepost_storage::keys::{ChangedKeys, KeyGeneration, KeyRow, Login};
use gatepost_storage::{KeyStore, StoreError};
use shard::Shard;

use crate::judged::{Circumstances, Judged};

const SHARDS: usize = 64;

/// The generation that no store ever has.
const NEVER: i64 = i64::MIN;

/// A bounded cache.
#[derive(Debug)]
pub(crate) struct Cache {
    shards: Box<[Shard]>,
    generation: AtomicI64,
    epoch: AtomicU64,
    /// One at a time brings the cache up to date.
    syncing: tokio::sync::Mutex<()>,
}

/// A moment in the life of a cache, taken before a record is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epoch(u64);

impl Cache {
    pub(crate) fn new(capacity: usize) -> Self {
        let each = capacity.div_ceil(SHARDS).max(1);
        Self {
            shards: (0..SHARDS).map(|_| Shard::new(each)).collect(),
            generation: AtomicI64::new(NEVER),
            epoch: AtomicU64::new(0),
            syncing: tokio::sync::Mutex::new(()),
        }
    }

    /// Whether entries may be used now: the store's generation is known and is the one that the
    /// cache stands at.
    pub(crate) fn is_current(&self, store: &dyn KeyStore) -> bool {
        store
            .key_generation()
            .is_some_and(|g| g.0 == self.generation.load(Ordering::Acquire))
    }

    /// Forgets what was changed. `false` when the store cannot tell: the cache must not be used.
    pub(crate) async fn sync(&self, store: &dyn KeyStore) -> Result<bool, StoreError> {
        if self.is_current(store) {
            return Ok(true);
        }
        let _one = self.syncing.lock().await;
        let Some(now) = store.key_generation() else {
            return Ok(false);
        };
        let before = self.generation.load(Ordering::Acquire);
        if before == now.0 {
            return Ok(true);
        }
        let changes = store.key_changes(KeyGeneration(before)).await?;
        // First of all: what is being read at this moment must not be taken.
        self.epoch.fetch_add(1, Ordering::AcqRel);
        match changes.changed {
            ChangedKeys::These(keys) if before != NEVER => {
                keys.iter().for_each(|key| self.shard(*key).forget(*key));
            }
            _ => self.shards.iter().for_each(Shard::clear),
        }
        self.generation
            .store(changes.generation.0, Ordering::Release);
        Ok(true)
    }

    /// To be taken before a record is read that [`insert`](Self::insert) is to take.
    pub(crate) fn epoch(&self) -> Epoch {
        Epoch(self.epoch.load(Ordering::Acquire))
    }

    /// Takes a record, unless something was changed since the epoch.
    pub(crate) fn insert(&self, row: &KeyRow, epoch: Epoch) {
        self.shard(row.key.lookup)
            .insert(row, || self.epoch.load(Ordering::Acquire) == epoch.0);
    }

    /// Notes a login of a key; false when the key is not in memory.
    pub(crate) fn note(&self, key: LookupId, login: LastLogin) -> bool {
        self.shard(key).note(key, login)
    }

    /// Judges a key by its entry; `None` when there is no entry.
    #[inline]
    pub(crate) fn judge(&self, key: &PresentedKey<'_>, at: &Circumstances<'_>) -> Option<Judged> {
        self.shard(key.lookup()).judge(key, at)
    }

    /// The logins noted since the last call.
    pub(crate) fn take_logins(&self) -> Vec<Login> {
        self.shards.iter().flat_map(Shard::take_logins).collect()
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the two halves are folded into one"
    )]
    fn shard(&self, key: LookupId) -> &Shard {
        let id = key.as_u128();
        // The bytes are letters: fold them, so that the low bits say something.
        let folded = (id as u64 ^ (id >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        &self.shards[(folded >> 58) as usize]
    }
}
