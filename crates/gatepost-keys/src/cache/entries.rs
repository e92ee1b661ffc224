//! The entries of a slice. Who judges a key waits for nobody else who does: readers share the
//! entries, and a login is noted in the entry itself.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use apikey_core::{Checker, KeyId, KeyRefusal, LastLogin, LookupId, OwnerId, PresentedKey, judge};
use gatepost_storage::keys::{KeyRow, Login};

use super::fold::Fold;
use super::owners::Owners;
use crate::judged::{Circumstances, Judged};

/// All that a judgement touches lies in the slot itself.
#[derive(Debug)]
struct Slot {
    checker: Checker,
    key: KeyId,
    owner: OwnerId,
    /// Held for as long as it takes to write a time and an address.
    login: Mutex<Option<LastLogin>>,
    /// Seen expired: a clock that is set back does not bring the key back.
    expired: AtomicBool,
}

type Slots = HashMap<u128, Slot, BuildHasherDefault<Fold>>;

/// Logins to be written.
#[derive(Debug, Default)]
struct Pending {
    /// Slots that hold one, each once between two calls of `take_logins`.
    dirty: Vec<u128>,
    /// Of slots that had to go before they were written.
    left: Vec<Login>,
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
            outcome,
            is_cold: false,
        })
    }

    /// Notes a login, the newest wins; whether there is an entry to note it in.
    #[inline]
    pub(super) fn note(&self, key: LookupId, login: LastLogin) -> bool {
        let slots = self.read();
        let id = key.as_u128();
        let Some(slot) = slots.get(&id) else {
            return false;
        };
        let mut noted = lock(&slot.login);
        if noted.is_none() {
            lock(&self.pending).dirty.push(id);
        }
        if noted.is_none_or(|old| old.at <= login.at) {
            *noted = Some(login);
        }
        true
    }

    /// Inserts if `is_fresh` still says so under the lock. A full slice lets any entry go; an owner
    /// who has as many as one may gets the place of another entry of its own, or none.
    pub(super) fn insert(&self, row: &KeyRow, is_fresh: impl FnOnce() -> bool, owners: &Owners) {
        let (id, owner) = (row.key.lookup.as_u128(), row.key.owner);
        let slot = Slot {
            checker: row.key.checker(),
            key: row.id,
            owner,
            login: Mutex::default(),
            expired: AtomicBool::new(false),
        };
        let mut slots = self.write();
        // An entry that is there already is as fresh, and may hold a login.
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

    pub(super) fn take_logins(&self) -> Vec<Login> {
        let slots = self.read();
        let (dirty, mut logins) = {
            let mut pending = lock(&self.pending);
            let Pending { dirty, left } = &mut *pending;
            // Copied, not taken: who notes the next login finds room.
            let copied = dirty.clone();
            dirty.clear();
            (copied, std::mem::take(left))
        };
        for slot in dirty.iter().filter_map(|id| slots.get(id)) {
            let login = lock(&slot.login).take();
            logins.extend(login.map(|login| slot.login_at(login)));
        }
        logins
    }

    fn remove(&self, slots: &mut Slots, id: u128, owners: &Owners) {
        if let Some(owner) = self.take_out(slots, id) {
            owners.remove(owner);
        }
    }

    /// Keeps the login of an entry that goes; whose it was.
    fn take_out(&self, slots: &mut Slots, id: u128) -> Option<OwnerId> {
        let slot = slots.remove(&id)?;
        let login = lock(&slot.login).take();
        let left = login.map(|login| slot.login_at(login));
        lock(&self.pending).left.extend(left);
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

impl Slot {
    fn login_at(&self, login: LastLogin) -> Login {
        Login {
            key: self.key,
            login,
        }
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
