//! A cached key: the parts of its record that a decision needs, and the notes on its uses.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use apikey_core::{
    Accepted, Checker, Grant, KeyId, KeyRefusal, LookupId, OwnerId, PresentedKey, verify_key,
};
use gatepost_storage::keys::KeyRow;

use crate::request_context::Circumstances;
use crate::thread::Thread;
use crate::throttle::Meter;
use crate::use_notes::Noted;

/// The id for an entry that no thread has claimed for notes.
const NOBODY: u32 = 0;

/// A cached key. Two cache lines are only read while the key is used; a third is written by the
/// thread that notes uses here, so that threads with the same key do not contend for cache lines.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Entry {
    /// First, so that its alignment leaves no gap.
    pub(crate) owner: OwnerId,
    lookup: LookupId,
    checker: Checker,
    pub(crate) key: KeyId,
    pub(crate) grant: Grant,
    pub(crate) meter: Option<Arc<Meter>>,
    /// The thread that notes uses here, until its notes are taken.
    noting: AtomicU32,
    /// The key was seen expired: setting the clock back does not make it valid again.
    expired: AtomicBool,
    noted: Line,
}

/// Locked for the time it takes to write a time and an address, and to count.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Line(Mutex<Noted>);

impl Entry {
    pub(crate) fn new(row: &KeyRow, checker: Checker, meter: Option<Arc<Meter>>) -> Self {
        Self {
            owner: row.key.owner,
            lookup: row.key.lookup,
            checker,
            key: row.id,
            grant: row.key.grant.clone(),
            meter,
            noting: AtomicU32::new(NOBODY),
            expired: AtomicBool::new(false),
            noted: Line::default(),
        }
    }

    #[inline]
    pub(crate) fn lookup(&self) -> LookupId {
        self.lookup
    }

    #[inline]
    pub(crate) fn judge(
        &self,
        key: &PresentedKey<'_>,
        at: &Circumstances<'_>,
    ) -> Result<Accepted, KeyRefusal> {
        let outcome = verify_key(&self.checker, key, at.addr, at.now, at.peppers);
        match outcome {
            Err(KeyRefusal::Expired) => self.expired.store(true, Ordering::Relaxed),
            Ok(_) | Err(KeyRefusal::NotOnAllowList | KeyRefusal::OnDenyList)
                if self.expired.load(Ordering::Relaxed) =>
            {
                return Err(KeyRefusal::Expired);
            }
            _ => {}
        }
        outcome
    }

    /// Returns whether this thread notes uses here: the first one that asks.
    #[inline]
    pub(crate) fn is_noted_by(&self, thread: Thread) -> bool {
        let (mine, relaxed) = (thread.number(), Ordering::Relaxed);
        match self.noting.load(relaxed) {
            NOBODY => {
                let set = self.noting.compare_exchange(NOBODY, mine, relaxed, relaxed);
                set.is_ok()
            }
            noting => noting == mine,
        }
    }

    /// Returns the notes.
    #[inline]
    pub(crate) fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the notes, and allows any thread to be the next.
    pub(crate) fn take_noted(&self) -> Noted {
        let mut noted = self.noted();
        self.noting.store(NOBODY, Ordering::Relaxed);
        std::mem::take(&mut *noted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_entry_occupies_three_cache_lines() {
        assert_eq!(size_of::<Entry>(), 3 * 64);
    }
}
