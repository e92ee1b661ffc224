//! The outbox: occurrences that the platform wrote in its own transaction and that the engine will
//! fan out.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use webhook_model::{Occurrence, TaskId};

use super::outbox_row::{
    NewOutbox, OpenOutbox, OutboxAudience, OutboxId, OutboxTaken, PutBack, RemainingTasks,
};
use super::queue::{Enqueue, Enqueued, Origin, QueueStore};
use crate::error::StoreError;

/// Stores the outbox. Each row is fanned out exactly once.
///
/// A SQL backend documents the table `gatepost_occurrence`, into which the platform inserts with
/// its own statement, driver and language inside its own transaction. [`QueueStore::enqueue_all`]
/// with [`Origin::Outbox`] consumes a row.
#[async_trait]
pub trait OutboxStore: QueueStore {
    /// Stores an occurrence in the outbox, due at `now`, by [`QueueStore::enqueue_all`] of a batch
    /// with one row in [`Enqueue::later`].
    ///
    /// # Errors
    /// `Unavailable`.
    async fn push_outbox(
        &self,
        occurrence: &Occurrence,
        now: DateTime<Utc>,
    ) -> Result<OutboxId, StoreError> {
        let later = NewOutbox {
            occurrence: occurrence.clone(),
            left: RemainingTasks::After(TaskId(0)),
            by: None,
            due: now,
        };
        let stored = self
            .enqueue(Enqueue::later(Origin::Direct, vec![later]), now)
            .await?;
        let row = match &stored {
            Enqueued::Stored { later, .. } => later.first().copied(),
            _ => None,
        };
        row.ok_or_else(|| StoreError::corrupt("enqueue_all", "no row of the outbox"))
    }

    /// Reserves an audience with due rows for this holder, until `until`, and returns its due rows:
    /// the oldest due first, at most `limit`, without rejected rows. Returns `None` if no audience
    /// has due rows, or if other holders have reserved all that do.
    ///
    /// - Audiences must take turns: an audience that was never reserved comes first (any, if there
    ///   are several), then the one that was reserved longest ago, even if it had no rows since.
    /// - A holder may reserve its own audience again.
    /// - An audience with many rows must not delay the rows of others.
    /// - No other holder may reserve the audience until it is [given back](Self::give_back_outbox)
    ///   or `until` is reached, so its rows are processed in order.
    /// - The cost must be that of one audience, however many have rows.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn take_outbox(
        &self,
        holder: u128,
        limit: u32,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Option<OutboxTaken>, StoreError>;

    /// Releases this audience for other holders, if this holder still has it.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn give_back_outbox(
        &self,
        audience: OutboxAudience,
        holder: u128,
    ) -> Result<(), StoreError>;

    /// Returns the open part of this audience's rows with a row number below `before`, in order of
    /// it, at most `limit`. It must contain all rows that are stored at the time of the call, due
    /// or not and reserved or not, except for rejected rows. The cost must be proportional to the
    /// returned rows.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn open_outbox(
        &self,
        audience: OutboxAudience,
        before: OutboxId,
        limit: u32,
    ) -> Result<Vec<OpenOutbox>, StoreError>;

    /// Returns when another process may have written to the outbox, as
    /// [`QueueStore::work_arrived`](super::QueueStore::work_arrived) does for deliveries.
    async fn outbox_arrived(&self);

    /// Notifies other processes that the platform itself has committed rows to the outbox:
    /// their [`outbox_arrived`](Self::outbox_arrived) returns. Returns immediately. The
    /// notification may be lost, and a backend whose other processes notice by themselves need
    /// not do anything.
    fn outbox_written(&self);

    /// Returns a row that is not used now to the outbox.
    ///
    /// - [`PutBack::Until`] must change the row only if it is still in this round, and must start
    ///   its next round.
    /// - [`PutBack::Aside`] rejects the row. It must not depend on the round, since that may be the
    ///   column that cannot be read. The row must stay stored with the reason, for the platform to
    ///   inspect, and must not be returned for processing.
    /// - A deleted or rejected row must not change.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn put_back(&self, id: OutboxId, turn: u32, how: PutBack) -> Result<(), StoreError>;
}
