//! The number of entries for each owner, so that nobody's keys fill the cache.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use apikey_core::OwnerId;

/// Changed only if an entry is inserted or removed; requests that are answered from memory do not
/// lock it.
#[derive(Debug)]
pub(super) struct Owners {
    at_most: usize,
    entries: Mutex<HashMap<OwnerId, usize>>,
}

impl Owners {
    pub(super) fn new(at_most: usize) -> Self {
        Self {
            at_most,
            entries: Mutex::default(),
        }
    }

    /// Counts one more entry. Returns `false` if the owner is at the limit.
    pub(super) fn add(&self, owner: OwnerId) -> bool {
        let mut entries = self.lock();
        let count = entries.entry(owner).or_default();
        let may = *count < self.at_most;
        *count += usize::from(may);
        may
    }

    pub(super) fn remove(&self, owner: OwnerId) {
        let mut entries = self.lock();
        let Some(count) = entries.get_mut(&owner) else {
            return;
        };
        *count = count.saturating_sub(1);
        if *count == 0 {
            entries.remove(&owner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<OwnerId, usize>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
