//! The reference store: everything in this process' memory, nothing durable.
//!
//! It is the contract in its plainest form, for tests, tools and comparison; a process that ends
//! takes all of it along.

#[cfg(feature = "keys")]
mod keys;
#[cfg(feature = "webhooks")]
mod log;
#[cfg(feature = "webhooks")]
mod outbox;
#[cfg(feature = "webhooks")]
mod queue;
#[cfg(feature = "webhooks")]
mod records;
#[cfg(feature = "webhooks")]
mod tables;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, SubsecRound, Utc};

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
    keys: Mutex<keys::Keys>,
    /// Moves under the lock of `keys`; read without it before each use of a cached key.
    #[cfg(feature = "keys")]
    key_generation: std::sync::atomic::AtomicI64,
    #[cfg(feature = "webhooks")]
    tables: Mutex<tables::Tables>,
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
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Times are kept to the microsecond, as every backend keeps them.
fn micros(time: DateTime<Utc>) -> DateTime<Utc> {
    time.trunc_subsecs(6)
}

/// Row numbers of one table: from 1, none twice.
#[derive(Debug, Default)]
struct Counter(i64);

impl Counter {
    fn next(&mut self) -> i64 {
        self.0 += 1;
        self.0
    }
}

/// One page out of rows that come in order of their number.
fn page<I: Copy + Ord, R: Clone>(
    rows: &std::collections::BTreeMap<I, R>,
    page: &crate::Page<I>,
    keep: impl Fn(&R) -> bool,
) -> Vec<R> {
    use std::ops::Bound::{Excluded, Unbounded};
    let limit = page.limit as usize;
    let after = page.after.map_or(Unbounded, Excluded);
    match page.order {
        crate::Order::Ascending => rows
            .range((after, Unbounded))
            .map(|(_, r)| r)
            .filter(|r| keep(r))
            .take(limit)
            .cloned()
            .collect(),
        crate::Order::Descending => rows
            .range((Unbounded, after))
            .rev()
            .map(|(_, r)| r)
            .filter(|r| keep(r))
            .take(limit)
            .cloned()
            .collect(),
    }
}
