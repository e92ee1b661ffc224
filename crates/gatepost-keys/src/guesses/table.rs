//! A table of bounded size that is never walked: each hash has a small set of slots, and a full set
//! evicts the entry with the lowest value.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The slots of a set.
const WAYS: usize = 16;

#[derive(Debug)]
pub(super) struct Table<V> {
    sets: Box<[Mutex<Vec<Entry<V>>>]>,
}

#[derive(Debug)]
struct Entry<V> {
    hash: u64,
    value: V,
}

impl<V: Default> Table<V> {
    /// Creates a table for this number of entries, rounded up to whole sets.
    pub(super) fn new(entries: usize) -> Self {
        let sets = entries.div_ceil(WAYS).max(1);
        Self {
            sets: (0..sets).map(|_| Mutex::default()).collect(),
        }
    }

    /// Calls `act` with an entry; `None` if it does not exist.
    pub(super) fn look<R>(&self, hash: u64, act: impl FnOnce(&mut V) -> R) -> Option<R> {
        let mut set = self.set(hash);
        let entry = set.iter_mut().find(|entry| entry.hash == hash)?;
        Some(act(&mut entry.value))
    }

    /// Calls `act` with an entry, which is created if it does not exist. A full set evicts the
    /// entry with the lowest value.
    pub(super) fn enter<R, W: Ord>(
        &self,
        hash: u64,
        worth: impl Fn(&V) -> W,
        act: impl FnOnce(&mut V) -> R,
    ) -> R {
        let mut set = self.set(hash);
        if let Some(entry) = set.iter_mut().find(|entry| entry.hash == hash) {
            return act(&mut entry.value);
        }
        let mut value = V::default();
        let result = act(&mut value);
        let new = Entry { hash, value };
        if set.len() < WAYS {
            set.push(new);
        } else if let Some(least) = set.iter_mut().min_by_key(|entry| worth(&entry.value)) {
            *least = new;
        }
        result
    }

    /// Only a bug could panic under the lock; it leaves a complete entry or none.
    fn set(&self, hash: u64) -> MutexGuard<'_, Vec<Entry<V>>> {
        let number = usize::try_from(hash % self.sets.len() as u64).unwrap_or(0);
        self.sets[number]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_table_admits_new_and_evicts_least_valuable() {
        let table: Table<u64> = Table::new(1);
        for hash in 0..100 {
            let new = if hash == 7 { 1_000 } else { hash };
            table.enter(hash, |worth| *worth, |worth| *worth = new);
        }
        assert_eq!(
            table
                .sets
                .iter()
                .map(|set| set.lock().unwrap().len())
                .sum::<usize>(),
            WAYS
        );
        assert_eq!(
            table.look(7, |worth| *worth),
            Some(1_000),
            "the most worth stays"
        );
        assert_eq!(
            table.look(99, |worth| *worth),
            Some(99),
            "the newest is taken"
        );
        assert_eq!(table.look(8, |worth| *worth), None);
    }
}
