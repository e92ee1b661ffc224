//! The buckets that are not full, and those that entries of the cache hold.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::bucket::Bucket;

/// Looked into one at a time.
const SHARDS: usize = 16;
/// Buckets of a shard that no entry holds; of more, one is forgotten.
const MOST: usize = 100_000 / SHARDS;
/// With this many, those that are full are forgotten.
const MANY: usize = 64;

/// By row number. Asked when a key is read from the store, not when it is in memory.
#[derive(Debug, Default)]
pub(super) struct Buckets([Mutex<Shard>; SHARDS]);

#[derive(Debug, Default)]
struct Shard {
    buckets: HashMap<u128, Arc<Bucket>>,
    /// With this many of them it is time to forget.
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
    /// Forgets what nobody would notice, now and then; and any bucket that no entry holds where
    /// there are too many of them.
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

/// Whether an entry of the cache draws from it, or a request does.
fn is_held(bucket: &Arc<Bucket>) -> bool {
    Arc::strong_count(bucket) > 1
}
