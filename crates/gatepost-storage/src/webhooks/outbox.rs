//! Occurrences that the platform wrote in its own transaction and that wait to be fanned out.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use webhook_model::{Occurrence, TaskId};

use super::outbox_row::{
    Left, NewOutbox, OpenOutbox, OutboxAudience, OutboxId, OutboxTaken, PutBack,
};
use super::queue::{Enqueue, Enqueued, Origin, QueueStore};
use crate::error::StoreError;

/// The outbox: rows in, fan-outs out, exactly one for each.
///
/// A SQL backend documents the table `gatepost_occurrence`, into which the platform inserts with
/// its own statement, driver and language inside its own transaction. A row is consumed by
/// [`QueueStore::enqueue_all`] with [`Origin::Outbox`].
#[async_trait]
pub trait OutboxStore: QueueStore {
    /// Stores an occurrence to be fanned out, due at `now`: [`QueueStore::enqueue_all`] of a batch
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
            left: Left::After(TaskId(0)),
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

    /// Takes an audience that has rows due for this holder, until `until`, and reads its rows that
    /// are due: the oldest due first, at most `limit`. Rows set aside are not among them.
    /// `None`: no audience has any, or others have those that do.
    ///
    /// Audiences take turns: one that was never taken comes first (of several, any), then the one
    /// that was taken longest ago, also where it had no rows between. What this holder has, it may
    /// take again. One that has many rows keeps nobody else's waiting, and its own are in order,
    /// since nobody else has them until it is [given back](Self::give_back_outbox) or `until` has
    /// come. The cost is that of one audience, however many have rows.
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

    /// Others may take this audience again, if it is still this holder's.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn give_back_outbox(
        &self,
        audience: OutboxAudience,
        holder: u128,
    ) -> Result<(), StoreError>;

    /// Reads what is left of this audience's rows with a row number below `before`, in order of it,
    /// at most `limit`: all that are stored when this is called, due or not, whoever has the
    /// audience. Rows set aside are not among them. The cost is that of what it returns.
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

    /// Notifies other processes that the platform has committed rows of its own to the outbox:
    /// their [`outbox_arrived`](Self::outbox_arrived) returns. Returns immediately. The
    /// notification may be lost, and a backend whose other processes notice by themselves need
    /// not do anything.
    fn outbox_written(&self);

    /// Puts back a row that is not used now.
    ///
    /// - [`PutBack::Until`] must change the row only if it is still at this turn; its turn moves.
    /// - [`PutBack::Aside`] must not depend on the turn, which may be what cannot be read. The row
    ///   must stay stored with the reason, for the platform to look at, and must not be taken.
    /// - A row that is gone or was set aside must be left alone.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn put_back(&self, id: OutboxId, turn: u32, how: PutBack) -> Result<(), StoreError>;
}
