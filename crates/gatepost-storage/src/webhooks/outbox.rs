//! Occurrences that the platform wrote in its own transaction and that wait to be fanned out.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::TenantId;
use webhook_model::{Audience, Occurrence, OwnerId, TaskId};

use super::queue::{Enqueue, Enqueued, Origin, QueueStore};
use crate::error::StoreError;

/// The row number of an occurrence in the outbox.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct OutboxId(pub i64);

/// Why a row of the outbox cannot be used, in words for the platform's developer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// Which of the tasks that match an occurrence are still to be decided.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Left {
    /// All beyond this one, in order of their row numbers; `TaskId(0)` at first.
    After(TaskId),
    /// These, whatever the occurrence matches now.
    Tasks(Vec<TaskId>),
}

/// A row of the outbox that an engine writes.
#[derive(Clone, Debug, PartialEq)]
pub struct NewOutbox {
    /// The occurrence. Its id is stored, and checked when the row is used.
    pub occurrence: Occurrence,
    /// Which tasks.
    pub left: Left,
    /// The user who ran the task, or triggered the event, by hand.
    pub by: Option<OwnerId>,
    /// When.
    pub due: DateTime<Utc>,
}

/// A row of the outbox.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxRow {
    /// Its row number.
    pub id: OutboxId,
    /// The occurrence, or why it cannot be read: the platform writes these rows with its own SQL.
    /// A row that names no audience has
    /// [`Audience::OneSystem`](webhook_model::Audience::OneSystem).
    pub occurrence: Result<Occurrence, Unreadable>,
    /// Which tasks are still to be decided.
    pub left: Left,
    /// The user who ran the task, or triggered the event, by hand: the
    /// [`Cause::by`](super::Cause::by) of its deliveries.
    pub by: Option<OwnerId>,
    /// Counts how often the row was moved on or postponed; to be shown when it is used.
    pub turn: u32,
    /// When it was written.
    pub created: DateTime<Utc>,
}

/// The audience of a row of the outbox, as its columns say it: 0 where they name none, and where
/// they cannot be read.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct OutboxAudience {
    /// `tenant`.
    pub tenant: u128,
    /// `owner`.
    pub owner: u128,
}

impl OutboxAudience {
    /// The audience of a row whose columns `tenant` and `owner` are these texts.
    #[must_use]
    pub fn of_columns(tenant: Option<&str>, owner: Option<&str>) -> Self {
        let tenant = tenant.and_then(|tenant| tenant.parse().ok());
        let owner = owner.and_then(|owner| owner.parse().ok());
        Self {
            tenant: tenant.map_or(0, |TenantId(id)| id),
            owner: owner.map_or(0, |OwnerId(id)| id),
        }
    }
}

impl From<Audience> for OutboxAudience {
    fn from(audience: Audience) -> Self {
        let (tenant, owner) = match audience {
            Audience::Tenant(tenant) => (tenant.0, 0),
            Audience::Owner(owner) => (0, owner.0),
            Audience::OneSystem | Audience::Operators => (0, 0),
        };
        Self { tenant, owner }
    }
}

/// Rows of one audience, and nobody else's until then.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxTaken {
    /// Whose.
    pub audience: OutboxAudience,
    /// The oldest due first.
    pub rows: Vec<OutboxRow>,
}

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

    /// Returns when another process may have written to the outbox, as
    /// [`QueueStore::work_arrived`](super::QueueStore::work_arrived) does for deliveries.
    async fn outbox_arrived(&self);

    /// Notifies other processes that the platform has committed rows of its own to the outbox:
    /// their [`outbox_arrived`](Self::outbox_arrived) returns. Returns immediately. The
    /// notification may be lost, and a backend whose other processes notice by themselves need
    /// not do anything.
    fn outbox_written(&self);

    /// Puts a row off until `due`, if it is still at this turn; its turn moves. A row that is gone
    /// or was moved on is left alone.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn postpone_outbox(
        &self,
        id: OutboxId,
        turn: u32,
        due: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Sets a row aside that cannot be used, with the reason; it stays stored for the platform to
    /// look at.
    ///
    /// # Errors
    /// `NotFound`.
    async fn reject_outbox(
        &self,
        id: OutboxId,
        reason: &str,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;
}
