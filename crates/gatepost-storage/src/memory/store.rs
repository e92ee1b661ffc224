//! The store itself: its tables behind locks.

use std::fmt;
#[cfg(feature = "keys")]
use std::sync::atomic::AtomicI64;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(feature = "keys")]
use super::key_table::KeyTable;
#[cfg(feature = "webhooks")]
use super::tables::Tables;

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
    #[cfg(feature = "keys")]
    pub(super) keys: Mutex<KeyTable>,
    /// Moves under the lock of `keys`; read without it before each use of a cached key.
    #[cfg(feature = "keys")]
    pub(super) key_generation: AtomicI64,
    #[cfg(feature = "webhooks")]
    pub(super) tables: Mutex<Tables>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

/// Locks for the length of one method. Every method checks before it writes, so a panic (which
/// only a bug could cause) leaves nothing half done and the lock is taken over.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
