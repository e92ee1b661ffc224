//! The delivery log: what was sent, what will be, and how it went.

use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use webhook_model::{TaskId, WebhookId};

use super::delivery::{AttemptRecord, Delivery, DeliveryId, DeliveryState};
use crate::error::StoreError;
use crate::page::Page;

/// The status info of a delivery that waited too long for a webhook that was not active.
pub const EXPIRED_INFO: &str = "expired while paused";

/// Which deliveries to list: those that match all that is `Some`.
#[derive(Clone, Debug, PartialEq)]
pub struct DeliveryQuery {
    /// Only deliveries to this webhook.
    pub webhook: Option<WebhookId>,
    /// Only deliveries made by this task.
    pub task: Option<TaskId>,
    /// Only deliveries in one of these states; empty means all.
    pub states: Vec<DeliveryState>,
    /// Only deliveries created at or after this.
    pub created_from: Option<DateTime<Utc>>,
    /// Only deliveries created before this.
    pub created_before: Option<DateTime<Utc>>,
    /// The page.
    pub page: Page<DeliveryId>,
}

impl DeliveryQuery {
    /// Every delivery, page by page.
    #[must_use]
    pub fn all(page: Page<DeliveryId>) -> Self {
        Self {
            webhook: None,
            task: None,
            states: Vec::new(),
            created_from: None,
            created_before: None,
            page,
        }
    }
}

/// Which deliveries to send again. Only those that have ended are sent again; others are skipped.
#[derive(Clone, Debug, PartialEq)]
pub enum Replay {
    /// These.
    Ids(Vec<DeliveryId>),
    /// Those of a webhook in state `error`, created within a span of time.
    Failed {
        /// The webhook.
        webhook: WebhookId,
        /// Created at or after this.
        from: DateTime<Utc>,
        /// Created before this.
        before: DateTime<Utc>,
    },
}

/// How much of the log is kept.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PurgeBounds {
    /// Ended deliveries created before this are removed.
    pub created_before: DateTime<Utc>,
    /// How many ended deliveries of each webhook are kept; the newest ones.
    pub newest_per_webhook: u32,
    /// Ids of occurrences stored before this are forgotten: they would be taken as new.
    pub occurrences_before: DateTime<Utc>,
}

/// The queue in figures.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct QueueStats {
    /// Deliveries waiting, those of paused webhooks included.
    pub queued: u64,
    /// Deliveries under a lease.
    pub running: u64,
    /// The oldest due time among waiting deliveries of active webhooks.
    pub oldest_due: Option<DateTime<Utc>>,
    /// Rows in the outbox.
    pub outbox: u64,
}

/// Reads and maintains the delivery log.
///
/// # Contract
/// As [`RecordStore`](super::RecordStore).
#[async_trait]
pub trait DeliveryLog: fmt::Debug + Send + Sync + 'static {
    /// The delivery with this row number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, StoreError>;

    /// One page of the deliveries that match.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn list_deliveries(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>, StoreError>;

    /// The attempts of a delivery, oldest first; empty when there is no such delivery.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn attempts(&self, id: DeliveryId) -> Result<Vec<AttemptRecord>, StoreError>;

    /// Deletes a delivery and its attempts, whatever its state; the settlement of one that is being
    /// sent will be `Stale`.
    ///
    /// # Errors
    /// `NotFound`.
    async fn delete_delivery(&self, id: DeliveryId, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Queues ended deliveries again: due at `now`, `attempts` and `lost_claims` 0, same message
    /// id, same bytes, the attempts made so far kept. At most `limit`, oldest first. Returns how
    /// many.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn replay(
        &self,
        which: &Replay,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError>;

    /// Ends those of the given deliveries that are `queued`: `error` with the given reason. Returns
    /// how many; one that is being sent is not among them.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn cancel(
        &self,
        ids: &[DeliveryId],
        reason: &str,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError>;

    /// Ends at most `limit` queued deliveries of webhooks that are not active and that were created
    /// before `created_before`: `error` with `expired while paused`. Returns how many.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn expire_held(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError>;

    /// Removes at most `limit` rows that retention does not keep, with their attempts; never one
    /// that is `queued` or `running`. Returns how many; fewer than `limit` means that nothing is
    /// left to remove.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn purge(
        &self,
        bounds: &PurgeBounds,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError>;

    /// The queue in figures.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn queue_stats(&self, now: DateTime<Utc>) -> Result<QueueStats, StoreError>;
}
