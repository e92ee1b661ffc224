//! The cached routes of one realm.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use gatepost_storage::webhooks::RoutesVersion;
use tokio::time::Instant;

use super::table::RouteTable;

/// The approximate memory of a realm that is not cached.
const SLOT: usize = 256;
/// How long a realm counts as too large to be cached.
const TOO_LARGE_FOR: Duration = Duration::from_secs(600);

#[derive(Debug)]
pub(super) struct Slot {
    /// Held by the one caller that reads. The number of the last successful reading.
    pub reading: tokio::sync::Mutex<u64>,
    /// The number of readings that were begun.
    begun: AtomicU64,
    held: RwLock<Held>,
}

#[derive(Debug)]
pub(super) enum Held {
    Nothing,
    Table(Box<RouteTable>),
    /// Since then.
    TooLarge(Instant),
}

impl Held {
    pub(super) fn table(table: RouteTable) -> Self {
        Self::Table(Box::new(table))
    }

    pub(super) fn too_large() -> Self {
        Self::TooLarge(Instant::now())
    }
}

impl Slot {
    pub(super) fn new() -> Self {
        Self {
            reading: tokio::sync::Mutex::new(0),
            begun: AtomicU64::new(0),
            held: RwLock::new(Held::Nothing),
        }
    }

    /// Returns the number of the last reading that was begun: a later one sees all that was stored
    /// before this call.
    pub(super) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Acquire)
    }

    /// Returns the number of a reading that begins.
    pub(super) fn begin(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::AcqRel) + 1
    }

    pub(super) fn put(&self, held: Held) {
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = held;
    }

    /// Whether the content is known, or is known to be too large.
    pub(super) fn is_read(&self) -> bool {
        match &*self.held.read().unwrap_or_else(PoisonError::into_inner) {
            Held::Nothing => false,
            Held::Table(_) => true,
            Held::TooLarge(since) => since.elapsed() < TOO_LARGE_FOR,
        }
    }

    /// Reads from the table, if there is one.
    pub(super) fn look<T>(&self, look: impl FnOnce(&RouteTable) -> T) -> Option<T> {
        match &*self.held.read().unwrap_or_else(PoisonError::into_inner) {
            Held::Table(table) => Some(look(table)),
            Held::Nothing | Held::TooLarge(_) => None,
        }
    }

    /// Changes the table, if it is at this version.
    pub(super) fn change(&self, at: RoutesVersion, change: impl FnOnce(&mut RouteTable)) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        if let Held::Table(table) = &mut *held
            && table.version == at
        {
            change(table);
        }
    }

    pub(super) fn version(&self) -> Option<RoutesVersion> {
        self.look(|table| table.version)
    }

    /// Whether the table must be read again: much of it may be outdated, or it costs more than
    /// `at_most` rows.
    pub(super) fn is_overgrown(&self, at_most: u32) -> bool {
        let look = |table: &RouteTable| table.is_overgrown() || table.is_larger_than(at_most);
        self.look(look).unwrap_or(false)
    }

    pub(super) fn bytes(&self) -> usize {
        SLOT + self.look(RouteTable::bytes).unwrap_or(0)
    }
}
