//! The entries of a cache shard. A lookup takes no lock, and writes nothing that other lookups
//! read.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use apikey_core::LookupId;
use arc_swap::{ArcSwapOption, Guard};

use super::owners::Owners;
use crate::cached_key::Entry;

/// The result of a lookup: an entry or none. A removed entry stays valid while this guard exists.
pub(crate) type Held = Guard<Option<Arc<Entry>>>;

type Place = ArcSwapOption<Entry>;

/// An open-addressing table: an entry is in the first free slot from the one that its id selects. A
/// lookup that runs while entries are moved may miss an existing entry; the key is then read from
/// the store.
#[derive(Debug)]
pub(super) struct Entries {
    capacity: usize,
    /// A power of two, at least 1.5 times the capacity; allocated for the first entry.
    places: OnceLock<Box<[Place]>>,
    /// The number of used slots. Every writer holds this lock.
    taken: Mutex<usize>,
}

impl Entries {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            places: OnceLock::new(),
            taken: Mutex::default(),
        }
    }

    /// Returns the entry of this id.
    #[inline]
    pub(super) fn get(&self, id: LookupId) -> Held {
        let Some(places) = self.places.get() else {
            return Guard::from_inner(None);
        };
        let mut at = first(id, places);
        loop {
            let held = places[at].load();
            match &*held {
                Some(entry) if entry.lookup() != id => at = after(at, places),
                _ => return held,
            }
        }
    }

    /// Inserts the entry if `is_fresh` still returns `true`, and returns the current entry for this
    /// id, or else the given one. In a full shard any entry is evicted. An owner at the limit gets
    /// the slot of another of the same owner's entries, or none.
    pub(super) fn insert(
        &self,
        entry: Arc<Entry>,
        is_fresh: impl FnOnce() -> bool,
        owners: &Owners,
    ) -> Arc<Entry> {
        let mut taken = self.lock();
        if !is_fresh() {
            return entry;
        }
        // An existing entry is as fresh, and may contain notes.
        if let Some(there) = &*self.get(entry.lookup()) {
            return Arc::clone(there);
        }
        let places = self.places.get_or_init(|| free(self.capacity));
        let owner = entry.owner;
        if !owners.add(owner) {
            let Some(own) = find(places, 0, |entry| entry.owner == owner) else {
                return entry;
            };
            vacate(places, own);
        } else if *taken < self.capacity {
            *taken += 1;
        } else if let Some(any) = find(places, first(entry.lookup(), places), |_| true)
            && let Some(gone) = vacate(places, any)
        {
            owners.remove(gone.owner);
        }
        places[end_of_row(entry.lookup(), places)].store(Some(Arc::clone(&entry)));
        entry
    }

    pub(super) fn forget(&self, id: LookupId, owners: &Owners) {
        let mut taken = self.lock();
        let Some(places) = self.places.get() else {
            return;
        };
        let mut at = first(id, places);
        while let Some(entry) = &*places[at].load() {
            if entry.lookup() == id {
                vacate(places, at);
                owners.remove(entry.owner);
                *taken -= 1;
                return;
            }
            at = after(at, places);
        }
    }

    pub(super) fn clear(&self, owners: &Owners) {
        let mut taken = self.lock();
        for place in self.places.get().into_iter().flatten() {
            if let Some(gone) = place.swap(None) {
                owners.remove(gone.owner);
            }
        }
        *taken = 0;
    }

    /// Only a bug could panic under this lock; entries stay complete.
    fn lock(&self) -> MutexGuard<'_, usize> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Allocates free slots for a number of entries. At least a third stays free, so that runs of used
/// slots are short and end.
fn free(capacity: usize) -> Box<[Place]> {
    let count = (capacity + capacity / 2 + 1).next_power_of_two();
    (0..count).map(|_| Place::empty()).collect()
}

/// Returns the slot that an id selects. Key ids are random, so nobody can create long runs.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "all parts are folded into the lowest bits"
)]
fn first(id: LookupId, places: &[Place]) -> usize {
    let id = id.as_u128();
    let folded =
        (id as u64 ^ ((id >> 64) as u64).rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (folded ^ (folded >> 32)) as usize & (places.len() - 1)
}

#[inline]
fn after(at: usize, places: &[Place]) -> usize {
    (at + 1) & (places.len() - 1)
}

/// Returns the first free slot for an id.
fn end_of_row(id: LookupId, places: &[Place]) -> usize {
    let mut at = first(id, places);
    while places[at].load().is_some() {
        at = after(at, places);
    }
    at
}

/// Returns the first used slot from `from` on with a matching entry.
fn find(places: &[Place], from: usize, is_wanted: impl Fn(&Entry) -> bool) -> Option<usize> {
    let (before, behind) = (0..from, from..places.len());
    behind.chain(before).find(|at| {
        places[*at]
            .load()
            .as_ref()
            .is_some_and(|entry| is_wanted(entry))
    })
}

/// Frees a slot, and moves the entries behind it that a lookup would no longer find. Each entry is
/// written to its new slot before it leaves the old one.
fn vacate(places: &[Place], at: usize) -> Option<Arc<Entry>> {
    let gone = places[at].load_full();
    let (mut free, mut next) = (at, after(at, places));
    while let Some(entry) = places[next].load_full() {
        let behind = |from: usize| next.wrapping_sub(from) & (places.len() - 1);
        if behind(first(entry.lookup(), places)) >= behind(free) {
            places[free].store(Some(entry));
            free = next;
        }
        next = after(next, places);
    }
    places[free].store(None);
    gone
}

#[cfg(test)]
impl Entries {
    pub(super) fn len(&self) -> usize {
        *self.lock()
    }

    /// Runs this while the entries are being changed.
    pub(super) fn while_changed(&self, act: impl FnOnce()) {
        let _taken = self.lock();
        act();
    }
}
