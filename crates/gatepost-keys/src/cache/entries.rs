//! The entries of a slice. Who looks for one holds no lock, and writes nothing that others who look
//! for it read.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use apikey_core::LookupId;
use arc_swap::{ArcSwapOption, Guard};

use super::owners::Owners;
use crate::entry::Entry;

/// What was found: an entry, or nothing. It stays as it is for as long as this is held, also when
/// it is removed.
pub(crate) type Held = Guard<Option<Arc<Entry>>>;

type Place = ArcSwapOption<Entry>;

/// Places in a row: an entry lies in the first that was free, from the one on that its id names.
/// Where entries are moved, who looks at that moment may find none that is there: it is then read
/// from the store.
#[derive(Debug)]
pub(super) struct Entries {
    capacity: usize,
    /// A power of two, half as many again as the capacity at least; made for the first entry.
    places: OnceLock<Box<[Place]>>,
    /// How many are taken. Who changes anything holds it.
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

    /// The entry of this id.
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

    /// Inserts if `is_fresh` still says so, and returns the entry of that id that is there then, or
    /// this one. A full slice lets any entry go; an owner who has as many as one may gets the place
    /// of another entry of its own, or none.
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
        // One that is there already is as fresh, and something may be noted in it.
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

    /// A panic under this lock could only come from a bug, and leaves whole entries.
    fn lock(&self) -> MutexGuard<'_, usize> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Free places for a number of entries: a third of them at least stays free, so that rows are short
/// and every one ends.
fn free(capacity: usize) -> Box<[Place]> {
    let count = (capacity + capacity / 2 + 1).next_power_of_two();
    (0..count).map(|_| Place::empty()).collect()
}

/// Where an id belongs. Ids of keys are drawn at random, so nobody makes a row long.
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

/// The first free place for an id.
fn end_of_row(id: LookupId, places: &[Place]) -> usize {
    let mut at = first(id, places);
    while places[at].load().is_some() {
        at = after(at, places);
    }
    at
}

/// The first taken place from `from` on that holds such an entry.
fn find(places: &[Place], from: usize, is_wanted: impl Fn(&Entry) -> bool) -> Option<usize> {
    let (before, behind) = (0..from, from..places.len());
    behind.chain(before).find(|at| {
        places[*at]
            .load()
            .as_ref()
            .is_some_and(|entry| is_wanted(entry))
    })
}

/// Frees a place, and moves up those behind it that would not be found beyond a free one. Each is
/// at its new place before it leaves the old one.
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

    /// Does this while somebody changes the entries.
    pub(super) fn while_changed(&self, act: impl FnOnce()) {
        let _taken = self.lock();
        act();
    }
}
