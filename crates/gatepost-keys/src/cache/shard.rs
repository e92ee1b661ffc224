//! One part of the cache, behind its own lock.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use apikey_core::{Checker, KeyId, KeyRefusal, LastLogin, LookupId, OwnerId, PresentedKey, judge};
use gatepost_storage::keys::{KeyRow, Login};

use crate::judged::{Circumstances, Judged};

/// All that a judgement touches lies in the slot itself.
#[derive(Debug)]
struct Slot {
    checker: Checker,
    key: KeyId,
    owner: OwnerId,
    login: Option<LastLogin>,
    /// Seen expired: a clock that is set back does not bring the key back.
    expired: bool,
}

#[derive(Debug, Default)]
struct Entries {
    slots: HashMap<u128, Slot, BuildHasherDefault<Fold>>,
    /// Slots whose login is to be written, each once.
    dirty: Vec<u128>,
    /// Logins of slots that had to go before they were written.
    left: Vec<Login>,
}

#[derive(Debug)]
pub(super) struct Shard {
    capacity: usize,
    entries: Mutex<Entries>,
}

impl Shard {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            entries: Mutex::default(),
        }
    }

    #[inline]
    pub(super) fn judge(&self, key: &PresentedKey<'_>, at: &Circumstances<'_>) -> Option<Judged> {
        let mut entries = self.lock();
        let slot = entries.slots.get_mut(&key.lookup().as_u128())?;
        let mut outcome = judge(&slot.checker, key, at.addr, at.now, at.peppers);
        match outcome {
            Err(KeyRefusal::Expired) => slot.expired = true,
            Ok(_) | Err(KeyRefusal::NotOnAllowList | KeyRefusal::OnDenyList) if slot.expired => {
                outcome = Err(KeyRefusal::Expired);
            }
            _ => {}
        }
        Some(Judged {
            key: slot.key,
            owner: slot.owner,
            outcome,
        })
    }

    /// Notes a login, the newest wins; whether there is an entry to note it in.
    pub(super) fn note(&self, key: LookupId, login: LastLogin) -> bool {
        let mut entries = self.lock();
        let Entries { slots, dirty, .. } = &mut *entries;
        let id = key.as_u128();
        let Some(slot) = slots.get_mut(&id) else {
            return false;
        };
        if slot.login.is_none() {
            dirty.push(id);
        }
        if slot.login.is_none_or(|old| old.at <= login.at) {
            slot.login = Some(login);
        }
        true
    }

    /// Inserts if `fresh` still says so under the lock; makes room by letting any other go.
    pub(super) fn insert(&self, row: &KeyRow, fresh: impl FnOnce() -> bool) {
        let slot = Slot {
            checker: row.key.checker(),
            key: row.id,
            owner: row.key.owner,
            login: None,
            expired: false,
        };
        let mut entries = self.lock();
        // An entry that is there already is as fresh, and may hold a login.
        if !fresh() || entries.slots.contains_key(&row.key.lookup.as_u128()) {
            return;
        }
        if entries.slots.len() >= self.capacity
            && let Some(id) = entries.slots.keys().next().copied()
            && let Some(slot) = entries.slots.remove(&id)
        {
            entries.left.extend(slot.login.map(|login| Login {
                key: slot.key,
                login,
            }));
        }
        entries.slots.insert(row.key.lookup.as_u128(), slot);
    }

    pub(super) fn forget(&self, key: LookupId) {
        let mut entries = self.lock();
        if let Some(slot) = entries.slots.remove(&key.as_u128()) {
            entries.left.extend(slot.login.map(|login| Login {
                key: slot.key,
                login,
            }));
        }
    }

    pub(super) fn clear(&self) {
        let mut entries = self.lock();
        let logins: Vec<Login> = entries
            .slots
            .drain()
            .filter_map(|(_, slot)| {
                slot.login.map(|login| Login {
                    key: slot.key,
                    login,
                })
            })
            .collect();
        entries.left.extend(logins);
        entries.dirty.clear();
    }

    pub(super) fn take_logins(&self) -> Vec<Login> {
        let mut entries = self.lock();
        let Entries { slots, dirty, left } = &mut *entries;
        let mut logins = std::mem::take(left);
        for id in dirty.drain(..) {
            if let Some(slot) = slots.get_mut(&id) {
                logins.extend(slot.login.take().map(|login| Login {
                    key: slot.key,
                    login,
                }));
            }
        }
        logins
    }

    /// A panic under the lock could only come from a bug, and leaves a whole entry or none.
    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lookup ids are random; what is left to do is to mix the letters that they are written in.
#[derive(Debug, Default)]
pub(super) struct Fold(u64);

impl Hasher for Fold {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the two halves are folded into one"
    )]
    fn write_u128(&mut self, id: u128) {
        let folded =
            (id as u64 ^ ((id >> 64) as u64).rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = folded ^ (folded >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
impl Shard {
    pub(super) fn len(&self) -> usize {
        self.lock().slots.len()
    }
}
