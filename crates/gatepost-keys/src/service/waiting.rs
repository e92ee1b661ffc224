//! Last logins (SPEC 5.1 rule 6), and how often keys were used: written every few seconds, never
//! waited for by a request.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use apikey_core::KeyId;
use gatepost_storage::KeyStore;

use crate::noted::{Noted, Notes, Outcome, lose_logins, lose_uses};

/// Keys of which something waits outside of the cache; what comes of more is dropped.
const MAX_WAITING: usize = 100_000;
/// Logins, or days of keys, written in one call.
const AT_ONCE: usize = 1_000;

/// What came of keys that are not in the cache.
#[derive(Debug, Default)]
pub(super) struct Waiting(Mutex<Notebook>);

#[derive(Debug, Default)]
struct Notebook {
    keys: HashMap<KeyId, Noted>,
    /// Of days that have ended.
    ended: Notes,
}

impl Waiting {
    pub(super) fn note(&self, key: KeyId, outcome: Outcome) {
        let mut notebook = self.lock();
        let Notebook { keys, ended } = &mut *notebook;
        if keys.len() >= MAX_WAITING && !keys.contains_key(&key) {
            Notes::of(key, outcome).lose();
            return;
        }
        let day = keys.entry(key).or_default().add(key, outcome);
        ended.uses.extend(day);
    }

    /// Writes these and what waits here. What the store does not take is dropped.
    pub(super) async fn flush(&self, mut notes: Notes, store: &dyn KeyStore) {
        notes.append(self.take());
        for some in notes.logins.chunks(AT_ONCE) {
            if let Err(error) = store.record_logins(some).await {
                tracing::warn!(%error, dropped = some.len(), "last logins were not written");
                lose_logins(some);
            }
        }
        for some in notes.uses.chunks(AT_ONCE) {
            if let Err(error) = store.record_uses(some).await {
                tracing::warn!(%error, keys = some.len(), "uses of keys were not written");
                lose_uses(some);
            }
        }
    }

    fn take(&self) -> Notes {
        let Notebook { keys, ended } = std::mem::take(&mut *self.lock());
        let mut notes = ended;
        for (key, noted) in keys {
            notes.take(key, noted);
        }
        notes
    }

    fn lock(&self) -> MutexGuard<'_, Notebook> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
