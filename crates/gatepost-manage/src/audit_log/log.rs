//! The audit log, with a bounded buffer so that no change waits for it.

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

/// The maximum time that a change waits for its entry, if the platform enables that.
const PATIENCE: Duration = Duration::from_secs(5);

/// An audit log in a store. Cheap to clone; use one for each process and store.
///
/// A change adds its entry after it is committed, and does not wait. The entry is stored
/// immediately, or together with others as soon as the store has accepted those before it. **A
/// killed process loses the entries that wait at that time**: those of the last moment, or, while
/// the store does not respond, at most 8 MiB, with 1 MiB for one owner. Further entries are dropped
/// and [counted](Self::lost). An entry is stored twice if storing it was reported as failed but
/// succeeded.
#[derive(Clone)]
pub struct AuditLog(pub(super) Arc<Shared>);

impl AuditLog {
    /// Returns how many entries of this process were dropped, because too many waited for the store
    /// or the store refused them.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.0.lost.load(Ordering::Relaxed)
    }

    /// Waits until all current entries are stored or lost. Await it before the process ends. It
    /// does not return while the store does not respond: use a timeout.
    pub async fn flush(&self) {
        let all = self.0.buffer().added();
        let mut done = self.0.done.subscribe();
        // The sender exists as long as `self`.
        let _ = done.wait_for(|done| *done >= all).await;
    }

    /// Removes the entries about this owner's records, for a user that the platform removes.
    /// Otherwise only system administrators see such entries, until they expire.
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

    /// Returns the time before which entries are no longer shown, and are removed.
    pub(crate) fn kept_from(&self) -> DateTime<Utc> {
        self.0.kept_from()
    }

    pub(crate) fn store(&self) -> &dyn AuditStore {
        self.0.store.as_ref()
    }

    /// Adds an entry. It waits for the store only if the platform enables that.
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
