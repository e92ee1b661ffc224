//! The builder of the audit log.

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use chrono::TimeDelta;
use gatepost_storage::{AuditStore, Clock, SystemClock};
use tokio::sync::watch;

use super::log::AuditLog;
use super::shared::Shared;

/// A builder for an [`AuditLog`].
pub struct AuditLogBuilder {
    store: Arc<dyn AuditStore>,
    clock: Arc<dyn Clock>,
    kept_of_owner: u64,
    retention: TimeDelta,
    is_waited_for: bool,
}

impl AuditLog {
    /// Starts a builder with the store for the entries.
    #[must_use]
    pub fn builder(store: Arc<dyn AuditStore>) -> AuditLogBuilder {
        AuditLogBuilder {
            store,
            clock: Arc::new(SystemClock),
            kept_of_owner: 10_000,
            retention: TimeDelta::days(400),
            is_waited_for: false,
        }
    }
}

impl AuditLogBuilder {
    /// Sets the clock that the services use; the machine's by default.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets how many entries about the records of one owner are kept, 10,000 by default; older ones
    /// of that owner are removed.
    #[must_use]
    pub fn kept_of_owner(mut self, entries: u64) -> Self {
        self.kept_of_owner = entries;
        self
    }

    /// Sets how long an entry is kept, 400 days by default. Older ones are not shown, and are
    /// removed when others are added.
    #[must_use]
    pub fn retention(mut self, retention: TimeDelta) -> Self {
        self.retention = retention;
        self
    }

    /// Makes every change wait until its entry is stored, for at most five seconds. A reported
    /// change is then in the log even if the process is killed. Off by default, because changes
    /// wait for a slow store.
    #[must_use]
    pub fn wait(mut self, wait: bool) -> Self {
        self.is_waited_for = wait;
        self
    }

    /// Builds the log.
    #[must_use]
    pub fn build(self) -> AuditLog {
        AuditLog(Arc::new(Shared {
            store: self.store,
            clock: self.clock,
            kept_of_owner: self.kept_of_owner,
            retention: self.retention,
            is_waited_for: self.is_waited_for,
            buffer: Mutex::default(),
            done: watch::Sender::new(0),
            lost: AtomicU64::new(0),
        }))
    }
}

impl fmt::Debug for AuditLogBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditLogBuilder").finish_non_exhaustive()
    }
}
