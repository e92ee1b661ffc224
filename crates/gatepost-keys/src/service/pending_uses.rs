//! Last logins (SPEC 5.1 rule 6) and usage counts of keys: written every few seconds, without any
//! request waiting.
//!
//! The cache entry of a key holds the notes of one thread. Other threads note uses on a separate
//! page for each thread, and so do all threads for keys that are not cached: no two threads that
//! use the same key write to the same memory.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use apikey_core::KeyId;
use gatepost_storage::KeyStore;
use gatepost_storage::keys::{KeyUse, Login};

use super::row_hash::RowHash;
use crate::cached_key::Entry;
use crate::thread::Thread;
use crate::use_notes::{Noted, Notes, Outcome, lose_logins, lose_uses};

/// The maximum number of keys with notes, in addition to the cached ones; notes on further keys are
/// dropped.
const MAX_WAITING: usize = 100_000;
/// The number of logins, and of daily counts, written in one call.
const AT_ONCE: usize = 1_000;
/// The number of pages; threads beyond it share pages.
const PAGES: usize = 16;

/// The notes that are not written yet.
#[derive(Debug)]
pub(super) struct Waiting {
    pages: [Page; PAGES],
    /// The number of keys on all pages.
    keys: AtomicUsize,
    at_most: usize,
    /// Serializes the writers.
    turn: tokio::sync::Mutex<()>,
    /// The number of writes that have begun.
    begun: AtomicUsize,
}

/// Two cache lines, which are fetched together, so that no other page is in them.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Page(Mutex<Notebook>);

#[derive(Debug, Default)]
struct Notebook {
    /// The entries with notes.
    entries: Vec<Arc<Entry>>,
    keys: HashMap<KeyId, Noted, BuildHasherDefault<RowHash>>,
    /// The notes on days that have ended.
    ended: Notes,
}

impl Waiting {
    /// Creates it for this number of cached keys.
    pub(super) fn new(in_memory: usize) -> Self {
        Self {
            pages: Default::default(),
            keys: AtomicUsize::new(0),
            at_most: in_memory.saturating_add(MAX_WAITING),
            turn: tokio::sync::Mutex::default(),
            begun: AtomicUsize::new(0),
        }
    }

    /// Notes the result of a use of a cached key.
    #[inline]
    pub(super) fn note(&self, entry: &Arc<Entry>, outcome: Outcome) {
        let thread = Thread::here();
        if !entry.is_noted_by(thread) && self.note_apart(thread, entry.key, outcome) {
            return;
        }
        let mut noted = entry.noted();
        if noted.is_empty() && !self.list(thread, entry) {
            drop(noted);
            return Notes::of(entry.key, outcome).lose();
        }
        if let Some(ended) = noted.add(entry.key, outcome) {
            self.page(thread).ended.uses.push(ended);
        }
    }

    /// Notes the result of a use of a key that is not cached.
    pub(super) fn note_cold(&self, key: KeyId, outcome: Outcome) {
        if !self.note_apart(Thread::here(), key, outcome) {
            Notes::of(key, outcome).lose();
        }
    }

    /// Returns whether no notes wait or are being written.
    pub(super) fn is_written(&self) -> bool {
        let turn = self.turn.try_lock();
        turn.is_ok_and(|_turn| self.keys.load(Ordering::Relaxed) == 0)
    }

    /// Writes the waiting notes, one call at a time. Notes that the store refuses are dropped, and
    /// so is the rest if this future is dropped.
    pub(super) async fn flush(&self, store: &dyn KeyStore) {
        let begun = self.begun.load(Ordering::Relaxed);
        let _turn = self.turn.lock().await;
        if self.begun.load(Ordering::Relaxed) != begun {
            // Another call began after this one, and has written all of its notes.
            return;
        }
        self.begun.fetch_add(1, Ordering::Relaxed);
        let notes = self.take();
        let mut logins = notes.logins.chunks(AT_ONCE);
        let mut uses = notes.uses.chunks(AT_ONCE);
        loop {
            let (logins, uses) = (logins.next(), uses.next());
            if logins.is_none() && uses.is_none() {
                return;
            }
            write(store, logins.unwrap_or_default(), uses.unwrap_or_default()).await;
        }
    }

    /// Notes on the page of this thread. Returns `false` if there is no space.
    fn note_apart(&self, thread: Thread, key: KeyId, outcome: Outcome) -> bool {
        let mut page = self.page(thread);
        let Notebook { keys, ended, .. } = &mut *page;
        if !keys.contains_key(&key) && !self.has_room() {
            return false;
        }
        let day = keys.entry(key).or_default().add(key, outcome);
        ended.uses.extend(day);
        true
    }

    /// Lists an entry that contains notes from now on. Returns `false` if there is no space.
    fn list(&self, thread: Thread, entry: &Arc<Entry>) -> bool {
        let has_room = self.has_room();
        if has_room {
            self.page(thread).entries.push(Arc::clone(entry));
        }
        has_room
    }

    /// Reserves space for one more key, if there is any.
    fn has_room(&self) -> bool {
        let has_room = self.keys.fetch_add(1, Ordering::Relaxed) < self.at_most;
        if !has_room {
            self.keys.fetch_sub(1, Ordering::Relaxed);
        }
        has_room
    }

    fn take(&self) -> Notes {
        let mut notes = Notes::default();
        for page in &self.pages {
            let taken = lock(page).take();
            let keys = taken.entries.len() + taken.keys.len();
            self.keys.fetch_sub(keys, Ordering::Relaxed);
            notes.append(taken.ended);
            for entry in taken.entries {
                notes.take(entry.key, entry.take_noted());
            }
            for (key, noted) in taken.keys {
                notes.take(key, noted);
            }
        }
        notes
    }

    fn page(&self, thread: Thread) -> MutexGuard<'_, Notebook> {
        lock(&self.pages[thread.part(PAGES)])
    }
}

impl Notebook {
    /// Takes everything, and keeps the capacity, so that the next use need not allocate.
    fn take(&mut self) -> Self {
        let room = Self {
            entries: Vec::with_capacity(self.entries.len()),
            keys: HashMap::with_capacity_and_hasher(self.keys.len(), BuildHasherDefault::default()),
            ended: Notes::default(),
        };
        std::mem::replace(self, room)
    }
}

/// Writes these in one call. After an error, which may hide that they were stored, only the logins
/// are repeated: uses would count twice.
async fn write(store: &dyn KeyStore, logins: &[Login], uses: &[KeyUse]) {
    let Err(error) = store.record_activity(logins, uses).await else {
        return;
    };
    tracing::warn!(%error, keys = uses.len(), "uses of keys were not written");
    lose_uses(uses);
    if logins.is_empty() {
        return;
    }
    if let Err(error) = store.record_logins(logins).await {
        tracing::warn!(%error, dropped = logins.len(), "last logins were not written");
        lose_logins(logins);
    }
}

fn lock(page: &Page) -> MutexGuard<'_, Notebook> {
    page.0.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
