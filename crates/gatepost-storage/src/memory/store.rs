//! The store itself: its tables behind one lock.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::audit_table::AuditTable;
#[cfg(feature = "webhooks")]
use super::delivery_table::Deliveries;
#[cfg(feature = "keys")]
use super::key_table::{Generations, KeyTable};
#[cfg(feature = "webhooks")]
use super::outbox_table::Outbox;
use super::owner_table::Owners;
#[cfg(feature = "webhooks")]
use super::places::Places;
#[cfg(feature = "webhooks")]
use super::record_table::Records;
#[cfg(feature = "webhooks")]
use super::usage_table::Usage;
#[cfg(feature = "webhooks")]
use crate::webhooks::QueueStats;

/// A store in memory.
///
/// ```
/// # #[cfg(feature = "keys")] {
/// use std::sync::Arc;
/// let store: Arc<dyn gatepost_storage::KeyStore> = Arc::new(gatepost_storage::MemoryStore::new());
/// # let _ = store;
/// # }
/// ```
#[derive(Default)]
pub struct MemoryStore {
    tables: Mutex<Tables>,
    /// Move under the lock of the tables; read without it before each use of a cached key.
    #[cfg(feature = "keys")]
    pub(super) generations: Generations,
}

#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) audit: AuditTable,
    pub(super) owners: Owners,
    #[cfg(feature = "keys")]
    pub(super) keys: KeyTable,
    #[cfg(feature = "webhooks")]
    pub(super) places: Places,
    #[cfg(feature = "webhooks")]
    pub(super) records: Records,
    #[cfg(feature = "webhooks")]
    pub(super) deliveries: Deliveries,
    #[cfg(feature = "webhooks")]
    pub(super) outbox: Outbox,
    #[cfg(feature = "webhooks")]
    pub(super) usage: Usage,
    /// The queue's figures, as they were counted last.
    #[cfg(feature = "webhooks")]
    pub(super) figures: Option<QueueStats>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Locks for the length of one method. Every method checks before it writes, so a panic (which
    /// only a bug could cause) leaves nothing half done and the lock is taken over.
    pub(super) fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}
