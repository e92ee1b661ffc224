//! The buckets that are not full, and those in use by cache entries.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::bucket::Bucket;

/// Each has a separate lock.
const SHARDS: usize = 16;
/// The maximum number of unused buckets in a shard; beyond it, one is removed.
const MOST: usize = 100_000 / SHARDS;
/// The number of buckets at which full ones are removed.
const MANY: usize = 64;

/// The buckets by row number. They are looked up when a key is read from the store, not when it is
/// cached.
#[derive(Debug, Default)]
pub(super) struct Buckets([Mutex<Shard>; SHARDS]);

#[derive(Debug, Default)]
struct Shard {
    buckets: HashMap<u128, Arc<Bucket>>,
    /// The number of buckets at which the next cleanup runs.
    forget_at: usize,
}

impl Buckets {
    pub(super) fn of(&self, id: u128, now: Duration) -> Arc<Bucket> {
        let number = usize::try_from(id % SHARDS as u128).unwrap_or(0);
        let mut shard = self.0[number]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = shard.buckets.get(&id) {
            return Arc::clone(bucket);
        }
        shard.make_room(now);
        Arc::clone(shard.buckets.entry(id).or_default())
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        let shards = self.0.iter().map(|shard| shard.lock().unwrap());
        shards.map(|shard| shard.buckets.len()).sum()
    }
}

impl Shard {
    /// Removes full buckets at intervals, and any unused bucket if there are too many.
    fn make_room(&mut self, now: Duration) {
        if self.buckets.len() >= self.forget_at {
            let kept = |bucket: &Arc<Bucket>| is_held(bucket) || !bucket.is_full(now);
            self.buckets.retain(|_, bucket| kept(bucket));
            self.forget_at = MANY.max(self.buckets.len().saturating_mul(2));
        }
        if self.buckets.len() >= MOST {
            let mut free = self.buckets.iter().filter(|(_, bucket)| !is_held(bucket));
            if let Some(id) = free.next().map(|(id, _)| *id) {
                self.buckets.remove(&id);
            }
        }
    }
}

/// Returns whether a cache entry or a request uses it.
fn is_held(bucket: &Arc<Bucket>) -> bool {
    Arc::strong_count(bucket) > 1
}
