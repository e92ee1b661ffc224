//! The log of changes: behind a bounded buffer, so that no change waits for it.

mod buffer;
mod drain;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::audit::AuditEntry;
use gatepost_storage::{AuditStore, Clock, SystemClock};
use tokio::sync::watch;

use self::buffer::Buffer;

/// How long a change waits for its entry, where the platform asks for that.
const PATIENCE: Duration = Duration::from_secs(5);

/// A log of who changed what, in a store. Cheap to clone; one for each process and store.
///
/// A change hands its entry over once it is committed, and goes on. The entry is stored at once, or
/// with others as soon as the store has taken those before it. **A process that is killed loses the
/// entries that wait then**: those of the last moment, or, while the store does not respond, at
/// most 8 MiB, of one owner 1 MiB. What is more is not kept, and [counted](Self::lost). An entry
/// whose storing was reported as failed though it was done is there twice.
#[derive(Clone)]
pub struct AuditLog(Arc<Shared>);

/// Sets up an [`AuditLog`].
pub struct AuditLogBuilder {
    store: Arc<dyn AuditStore>,
    clock: Arc<dyn Clock>,
    kept_of_owner: u64,
    retention: TimeDelta,
    is_waited_for: bool,
}

struct Shared {
    store: Arc<dyn AuditStore>,
    clock: Arc<dyn Clock>,
    kept_of_owner: u64,
    retention: TimeDelta,
    is_waited_for: bool,
    buffer: Mutex<Buffer>,
    /// How many entries have left the buffer.
    done: watch::Sender<u64>,
    lost: AtomicU64,
}

impl AuditLog {
    /// Starts with where the entries are stored.
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

    /// How many entries of this process were not kept, because too many waited for the store or the
    /// store refused them.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.0.lost.load(Ordering::Relaxed)
    }

    /// Ready once all entries that wait now are stored or lost. To be awaited before the process
    /// ends. While the store does not respond it is not ready: bound it by a time.
    pub async fn flush(&self) {
        let all = self.0.buffer().added();
        let mut done = self.0.done.subscribe();
        // The sender lives as long as `self`.
        let _ = done.wait_for(|done| *done >= all).await;
    }

    /// Removes what is known about this owner's records: for a user whom the platform removes. Such
    /// entries are otherwise seen by system administrators alone, until they are too old.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn forget(
        &self,
        owner: gatepost_keys::OwnerId,
    ) -> Result<(), gatepost_storage::StoreError> {
        self.flush().await;
        while self.0.store.forget_audit(owner, drain::BITE).await? == u64::from(drain::BITE) {}
        Ok(())
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.0.clock.now()
    }

    /// Entries from before this moment are not shown any more, and leave.
    pub(crate) fn kept_from(&self) -> DateTime<Utc> {
        let from = self.now().checked_sub_signed(self.0.retention);
        from.unwrap_or(DateTime::<Utc>::MIN_UTC)
    }

    pub(crate) fn store(&self) -> &dyn AuditStore {
        self.0.store.as_ref()
    }

    /// Takes an entry. Waits for the store only where the platform asks for that.
    pub(crate) async fn record(&self, entry: AuditEntry) {
        let owner = entry.owner;
        let (taken, idle) = self.0.buffer().push(entry);
        if !taken {
            self.0.lose(1);
            tracing::debug!(owner = owner.0, "an audit entry was not kept");
            return;
        }
        if idle {
            tokio::spawn(drain::run(self.0.clone()));
        }
        if self.0.is_waited_for
            && tokio::time::timeout(PATIENCE, self.flush()).await.is_err()
        {
            tracing::error!("a change was not waited for by its audit entry any longer");
        }
    }
}

impl Shared {
    fn buffer(&self) -> MutexGuard<'_, Buffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lose(&self, entries: u64) {
        let lost = self.lost.fetch_add(entries, Ordering::Relaxed) + entries;
        if entries > 1 || lost.is_power_of_two() {
            tracing::error!(lost, "audit entries were not kept");
        }
    }
}

impl AuditLogBuilder {
    /// The clock that the services use; the machine's by default.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// How many entries are kept about the records of one owner, 10,000 by default: the oldest of
    /// that owner leave.
    #[must_use]
    pub fn kept_of_owner(mut self, entries: u64) -> Self {
        self.kept_of_owner = entries;
        self
    }

    /// For how long an entry is kept, 400 days by default. Older ones are not shown, and are
    /// removed when others are added.
    #[must_use]
    pub fn retention(mut self, retention: TimeDelta) -> Self {
        self.retention = retention;
        self
    }

    /// Lets every change wait until its entry is stored, for five seconds at most: then what a call
    /// reported as done is in the log, though the process is killed. Not by default: whoever edits
    /// would wait for a store that is slow.
    #[must_use]
    pub fn wait(mut self, wait: bool) -> Self {
        self.is_waited_for = wait;
        self
    }

    /// The log.
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

impl fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditLog")
            .field("lost", &self.lost())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for AuditLogBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditLogBuilder").finish_non_exhaustive()
    }
}
