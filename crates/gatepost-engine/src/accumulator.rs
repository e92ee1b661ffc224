//! Sums that are counted in memory, and written to the store shortly afterwards in batches. Sums
//! are not lost if the store refuses or panics.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::guard::guarded;

/// The maximum number of keys with a sum: additions for further keys are lost.
pub(crate) const MOST: usize = 65_536;
/// Sums that are written in one transaction.
const BATCH: usize = 1_000;

/// A sum for each key of the additions since it was last taken to be written.
#[derive(Debug)]
pub(crate) struct Accumulator<K, V> {
    sums: Mutex<HashMap<K, V>>,
    plus: fn(V, V) -> V,
}

impl<K: Copy + Debug + Eq + Hash, V: Copy> Accumulator<K, V> {
    pub(crate) fn new(plus: fn(V, V) -> V) -> Self {
        Self {
            sums: Mutex::default(),
            plus,
        }
    }

    /// Adds to a sum. Returns whether the key had none.
    pub(crate) fn add(&self, key: K, more: V) -> bool {
        let mut sums = self.lock();
        if let Some(sum) = sums.get_mut(&key) {
            *sum = (self.plus)(*sum, more);
            return false;
        }
        let has_room = sums.len() < MOST;
        if has_room {
            sums.insert(key, more);
        } else {
            drop(sums);
            guarded(|| tracing::warn!(?key, "too many different keys: lost count"));
        }
        has_room
    }

    pub(crate) fn get(&self, key: K) -> Option<V> {
        self.lock().get(&key).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Takes the sums that are due to be written.
    pub(crate) fn take(&self, is_due: impl Fn(K) -> bool) -> Unwritten<'_, K, V> {
        let due = self.lock().extract_if(|key, _| is_due(*key)).collect();
        Unwritten {
            of: self,
            sums: due,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, V>> {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sums that are being written: those that are not written return to the accumulator.
#[derive(Debug)]
pub(crate) struct Unwritten<'a, K: Copy + Debug + Eq + Hash, V: Copy> {
    of: &'a Accumulator<K, V>,
    sums: Vec<(K, V)>,
}

impl<K: Copy + Debug + Eq + Hash, V: Copy> Unwritten<'_, K, V> {
    /// Returns the next batch for one transaction; `None` when all are written.
    pub(crate) fn batch(&self) -> Option<&[(K, V)]> {
        self.sums.rchunks(BATCH).next()
    }

    /// Removes the batch, which is written.
    pub(crate) fn written(&mut self) -> Vec<(K, V)> {
        let left = self.sums.len().saturating_sub(BATCH);
        self.sums.split_off(left)
    }
}

impl<K: Copy + Debug + Eq + Hash, V: Copy> Drop for Unwritten<'_, K, V> {
    fn drop(&mut self) {
        for (key, sum) in mem::take(&mut self.sums) {
            self.of.add(key, sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn unwritten_sums_go_back_also_after_a_panic() {
        let accumulator = Accumulator::new(|a: usize, b| a + b);
        assert!((0..BATCH + 2).all(|key| accumulator.add(key, 1)));
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let mut unwritten = accumulator.take(|key| key != 0);
            assert_eq!(unwritten.batch().map(<[_]>::len), Some(BATCH));
            assert_eq!(unwritten.written().len(), BATCH);
            assert!(!accumulator.add(0, 1));
            panic!("on purpose");
        }));
        assert!(panicked.is_err());
        assert_eq!((accumulator.get(0), accumulator.len()), (Some(2), 2));
        assert_eq!(accumulator.take(|_| true).written().len(), 2);
        assert_eq!(accumulator.len(), 0);
    }
}
