//! The entries of a slice. Who judges a key waits for nobody else who does: readers share the
//! entries, and what comes of a use is noted in the entry itself.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use apikey_core::{Checker, Grant, KeyId, KeyRefusal, LookupId, OwnerId, PresentedKey, judge};
use gatepost_storage::keys::KeyRow;

use super::fold::Fold;
use super::owners::Owners;
use crate::judged::{Circumstances, Judged};
use crate::noted::{Noted, Notes, Outcome};
use crate::throttle::Meter;

/// What waits in a slice of entries that had to go; what comes of more is dropped.
const MAX_LEFT: usize = 1_000;

/// All that a judgement touches lies in the slot itself.
#[derive(Debug)]
struct Slot {
    checker: Checker,
    key: KeyId,
    owner: OwnerId,
    grant: Grant,
    meter: Option<Arc<Meter>>,
    /// Held for as long as it takes to write a time and an address, and to count.
    noted: Mutex<Noted>,
    /// Seen expired: a clock that is set back does not bring the key back.
    expired: AtomicBool,
}

type Slots = HashMap<u128, Slot, BuildHasherDefault<Fold>>;

/// What is to be written.
#[derive(Debug, Default)]
struct Pending {
    /// Slots in which something is noted, each once between two calls of `take_notes`.
    dirty: Vec<u128>,
    /// Of slots that had to go before they were written, and of days that have ended.
    left: Notes,
}

#[derive(Debug)]
pub(super) struct Entries {
    capacity: usize,
    slots: RwLock<Slots>,
    pending: Mutex<Pending>,
}

impl Entries {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            slots: RwLock::default(),
            pending: Mutex::default(),
        }
    }

    #[inline]
    pub(super) fn judge(&self, key: &PresentedKey<'_>, at: &Circumstances<'_>) -> Option<Judged> {
        let slots = self.read();
        let slot = slots.get(&key.lookup().as_u128())?;
        let mut outcome = judge(&slot.checker, key, at.addr, at.now, at.peppers);
        match outcome {
            Err(KeyRefusal::Expired) => slot.expired.store(true, Ordering::Relaxed),
            Ok(_) | Err(KeyRefusal::NotOnAllowList | KeyRefusal::OnDenyList)
                if slot.expired.load(Ordering::Relaxed) =>
            {
                outcome = Err(KeyRefusal::Expired);
            }
            _ => {}
        }
        Some(Judged {
            key: slot.key,
            owner: slot.owner,
            grant: slot.grant.clone(),
            meter: slot.meter.clone(),
            outcome,
            is_cold: false,
        })
    }

    /// Notes what came of a use; whether there is an entry to note it in.
    #[inline]
    pub(super) fn note(&self, key: LookupId, outcome: Outcome) -> bool {
        let slots = self.read();
        let id = key.as_u128();
        let Some(slot) = slots.get(&id) else {
            return false;
        };
        let mut noted = lock(&slot.noted);
        if noted.is_empty() {
            lock(&self.pending).dirty.push(id);
        }
        if let Some(ended) = noted.add(slot.key, outcome) {
            lock(&self.pending).left.uses.push(ended);
        }
        true
    }

    /// Inserts if `is_fresh` still says so under the lock. A full slice lets any entry go; an owner
    /// who has as many as one may gets the place of another entry of its own, or none. A disabled
    /// key is never taken.
    pub(super) fn insert(
        &self,
        row: &KeyRow,
        meter: Option<Arc<Meter>>,
        is_fresh: impl FnOnce() -> bool,
        owners: &Owners,
    ) {
        let (id, owner) = (row.key.lookup.as_u128(), row.key.owner);
        let Some(checker) = row.key.checker() else {
            return;
        };
        let slot = Slot {
            checker,
            key: row.id,
            owner,
            grant: row.key.grant.clone(),
            meter,
            noted: Mutex::default(),
            expired: AtomicBool::new(false),
        };
        let mut slots = self.write();
        // An entry that is there already is as fresh, and something may be noted in it.
        if !is_fresh() || slots.contains_key(&id) {
            return;
        }
        if !owners.add(owner) {
            let own = slots.iter().find(|(_, slot)| slot.owner == owner);
            let Some(own) = own.map(|(id, _)| *id) else {
                return;
            };
            self.take_out(&mut slots, own);
        } else if slots.len() >= self.capacity
            && let Some(any) = slots.keys().next().copied()
        {
            self.remove(&mut slots, any, owners);
        }
        slots.insert(id, slot);
    }

    pub(super) fn forget(&self, key: LookupId, owners: &Owners) {
        self.remove(&mut self.write(), key.as_u128(), owners);
    }

    pub(super) fn clear(&self, owners: &Owners) {
        let mut slots = self.write();
        let ids: Vec<u128> = slots.keys().copied().collect();
        for id in ids {
            self.remove(&mut slots, id, owners);
        }
    }

    pub(super) fn take_notes(&self) -> Notes {
        let slots = self.read();
        let (dirty, mut notes) = {
            let mut pending = lock(&self.pending);
            let Pending { dirty, left } = &mut *pending;
            // Copied, not taken: who notes the next use finds room.
            let copied = dirty.clone();
            dirty.clear();
            (copied, std::mem::take(left))
        };
        for slot in dirty.iter().filter_map(|id| slots.get(id)) {
            let noted = std::mem::take(&mut *lock(&slot.noted));
            notes.take(slot.key, noted);
        }
        notes
    }

    fn remove(&self, slots: &mut Slots, id: u128, owners: &Owners) {
        if let Some(owner) = self.take_out(slots, id) {
            owners.remove(owner);
        }
    }

    /// Keeps what was noted in an entry that goes; whose it was.
    fn take_out(&self, slots: &mut Slots, id: u128) -> Option<OwnerId> {
        let slot = slots.remove(&id)?;
        let noted = *lock(&slot.noted);
        let mut pending = lock(&self.pending);
        if pending.left.uses.len() < MAX_LEFT {
            pending.left.take(slot.key, noted);
        } else {
            let mut lost = Notes::default();
            lost.take(slot.key, noted);
            lost.lose();
        }
        Some(slot.owner)
    }

    /// A panic under a lock could only come from a bug, and leaves a whole entry or none.
    fn read(&self) -> RwLockReadGuard<'_, Slots> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Slots> {
        self.slots.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
impl Entries {
    pub(super) fn len(&self) -> usize {
        self.read().len()
    }

    /// Does this while a reader is among the entries.
    pub(super) fn while_read(&self, act: impl FnOnce()) {
        let _reader = self.read();
        act();
    }
}
