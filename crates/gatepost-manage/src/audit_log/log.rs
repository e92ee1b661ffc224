//! The log of changes: behind a bounded buffer, so that no change waits for it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_keys::OwnerId;
use gatepost_storage::audit::{AuditEntry, AuditRemoval};
use gatepost_storage::{AuditStore, StoreError};

use super::drain;
use super::shared::Shared;

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
pub struct AuditLog(pub(super) Arc<Shared>);

impl AuditLog {
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

    /// Removes what is known about this owner's records: for a user that the platform removes. Such
    /// entries are otherwise seen by system administrators alone, until they are too old.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn forget(&self, owner: OwnerId) -> Result<(), StoreError> {
        self.flush().await;
        let of_owner = AuditRemoval::OfOwner(owner);
        while self.0.store.remove_audit(of_owner, drain::BITE).await? == u64::from(drain::BITE) {}
        Ok(())
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.0.clock.now()
    }

    /// Entries from before this moment are not shown any more, and leave.
    pub(crate) fn kept_from(&self) -> DateTime<Utc> {
        self.0.kept_from()
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
            tracing::debug!(%owner, "an audit entry was not kept");
            return;
        }
        if idle {
            tokio::spawn(drain::run(self.0.clone()));
        }
        if self.0.is_waited_for && tokio::time::timeout(PATIENCE, self.flush()).await.is_err() {
            tracing::error!("a change was not waited for by its audit entry any longer");
        }
    }
}

impl fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditLog")
            .field("lost", &self.lost())
            .finish_non_exhaustive()
    }
}
