//! The state that the log shares with its storing task.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::{AuditStore, Clock};
use tokio::sync::watch;

use super::buffer::Buffer;

pub(super) struct Shared {
    pub(super) store: Arc<dyn AuditStore>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) kept_of_owner: u64,
    pub(super) retention: TimeDelta,
    pub(super) is_waited_for: bool,
    pub(super) buffer: Mutex<Buffer>,
    /// The number of entries that have left the buffer.
    pub(super) done: watch::Sender<u64>,
    pub(super) lost: AtomicU64,
}

impl Shared {
    /// Returns the time before which entries are too old.
    pub(super) fn kept_from(&self) -> DateTime<Utc> {
        let from = self.clock.now().checked_sub_signed(self.retention);
        from.unwrap_or(DateTime::<Utc>::MIN_UTC)
    }

    pub(super) fn buffer(&self) -> MutexGuard<'_, Buffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts entries that are lost.
    pub(super) fn lose(&self, entries: u64) {
        let lost = self.lost.fetch_add(entries, Ordering::Relaxed) + entries;
        if entries > 1 || lost.is_power_of_two() {
            tracing::error!(lost, "audit entries were not kept");
        }
    }
}
