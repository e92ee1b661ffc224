//! The delivery log: sent and waiting deliveries and their outcomes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use webhook_model::{TaskId, WebhookId};

use super::counters::{CounterKind, CounterQuery, Counters, HourlyCount, UsageDelta};
use super::delivery::{AttemptRecord, Delivery, DeliveryId};
use super::delivery_query::DeliveryQuery;
use super::rejected::RejectedCount;
use super::waiting::{ChangedDelivery, IfWaiting, WaitingChange};
use crate::error::StoreError;
use crate::page::Scope;

/// The retention limits of the log. The age limit ends what is *shown*; the stored rows are removed
/// at the same time or somewhat later, in the order in which they were stored.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PurgeBounds {
    /// Ended deliveries created before this are removed.
    pub created_before: DateTime<Utc>,
    /// The approximate maximum size of the log in the database, in bytes; the oldest ended
    /// deliveries are removed first. `None` means no limit.
    pub bytes: Option<u64>,
    /// Counters of hours before this are removed.
    pub counts_before: DateTime<Utc>,
    /// Ids of occurrences stored before this are forgotten: they would be accepted again.
    pub occurrences_before: DateTime<Utc>,
}

/// The usage of the queue and the log by one owner: an estimate that the engines add up.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct LogUsage {
    /// Deliveries that have not ended.
    pub waiting: u64,
    /// Bytes of their messages.
    pub waiting_bytes: u64,
    /// Bytes of the messages, heads of requests and responses of all deliveries.
    pub log_bytes: u64,
}

/// The result of [`DeliveryLog::purge`].
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Purged {
    /// The number of rows that are no longer shown or were removed, as far as they are counted.
    pub rows: u64,
    /// Whether work is left: call again.
    pub more: bool,
}

/// The space of the log.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LogHeadroom {
    /// The number of partitions that are ready for future deliveries; `None` if the log has no
    /// partitions.
    pub ahead: Option<u32>,
    /// The approximate size of the log in the database, in bytes.
    pub bytes: u64,
}

/// Metrics of the queue, as of the last count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct QueueStats {
    /// The time of the count.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::field"))]
    pub counted: DateTime<Utc>,
    /// Deliveries waiting, those of paused webhooks included.
    pub queued: u64,
    /// Deliveries under a lease.
    pub running: u64,
    /// The oldest due time among waiting deliveries of webhooks that send and whose owners are
    /// neither suspended nor moving.
    #[cfg_attr(feature = "serde", serde(default, with = "crate::stored::field"))]
    pub oldest_due: Option<DateTime<Utc>>,
    /// Waiting rows of the outbox, without rejected ones.
    pub outbox: u64,
}

/// Reads and maintains the delivery log.
///
/// # Contract
/// The contract of [`RecordStore`](super::RecordStore) applies. In addition:
/// - A delivery must be in exactly one of the four states. Only the calls of the diagram in
///   [`webhooks`](crate::webhooks) may change it.
/// - A delivery that was deleted, is hidden, or belongs to a deleted webhook or owner must not be
///   listed, found, counted, changed or replayed.
#[async_trait]
pub trait DeliveryLog: fmt::Debug + Send + Sync + 'static {
    /// Returns the delivery with this row number, with its message.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, StoreError>;

    /// Returns one page of the deliveries that match.
    ///
    /// - The page's [`Bodies`](crate::Bodies) select which messages are read.
    /// - `message_kept` must be correct whether or not messages are read.
    /// - A page must be full if more deliveries match.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn list_deliveries(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>, StoreError>;

    /// Returns the creation time of the newest delivery of each of these tasks, in order of tasks.
    /// A task without a visible delivery must be left out.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn last_runs(
        &self,
        tasks: &[TaskId],
    ) -> Result<Vec<(TaskId, DateTime<Utc>)>, StoreError> {
        let mut runs = Vec::new();
        for id in tasks.iter().copied().collect::<BTreeSet<_>>() {
            let newest = self.list_deliveries(&DeliveryQuery::newest_of(id)).await?;
            runs.extend(newest.first().map(|newest| (id, newest.created)));
        }
        Ok(runs)
    }

    /// Returns the last attempts of a delivery, at most this many, oldest first.
    ///
    /// - For a delivery that does not exist the store must return none.
    /// - It must not read the other attempts: a delivery may have any number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn attempts(&self, id: DeliveryId, last: u32) -> Result<Vec<AttemptRecord>, StoreError>;

    /// Deletes a delivery and its attempts, whatever its state.
    ///
    /// - If it was `running`, its settlement must be [`Stale`](super::Settled::Stale).
    ///
    /// # Errors
    /// `NotFound`.
    async fn delete_delivery(&self, id: DeliveryId, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Queues those of these deliveries again that have ended. Returns their number.
    ///
    /// - They must be due at `now`, with `tries` and `lost_claims` 0 and `status_info` empty.
    /// - Message id, message, attempts and the summary of the last attempt must not change.
    /// - A delivery whose message was not kept must be skipped.
    /// - A repeated id must count once.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn replay(&self, ids: &[DeliveryId], now: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Changes deliveries that wait.
    ///
    /// - The store must skip a delivery that is not `queued`, or does not match its [`IfWaiting`].
    /// - It must apply all changes of a call in one transaction, and return the changed deliveries
    ///   by row number.
    /// - The activity and the mode of the webhook must not matter.
    /// - [`WaitingChange::Fetched`] must add one attempt, also to the log
    ///   ([`AttemptRecord::fetched`]).
    /// - [`WaitingChange::Cancelled`] must count each delivery as failed ([`HourlyCount::failed`])
    ///   in the hour of `now`.
    /// - [`WaitingChange::Due`] must skip a delivery that is due at `now`. It must change only the
    ///   due time, to `now`.
    ///
    /// # Errors
    /// `Unavailable`: none was changed; the caller may repeat the same call.
    async fn change_waiting(
        &self,
        deliveries: Vec<IfWaiting>,
        change: WaitingChange,
        now: DateTime<Utc>,
    ) -> Result<Vec<ChangedDelivery>, StoreError>;

    /// Ends those of the given deliveries that wait as `error` with the given reason, by
    /// [`change_waiting`](Self::change_waiting). Returns their number.
    ///
    /// # Errors
    /// The errors of `change_waiting`.
    async fn cancel(
        &self,
        ids: &[DeliveryId],
        reason: &str,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        let deliveries = ids.iter().copied().map(IfWaiting::any).collect();
        let reason = reason.to_owned();
        let change = WaitingChange::Cancelled { reason };
        Ok(self.change_waiting(deliveries, change, now).await?.len() as u64)
    }

    /// Makes those of the given deliveries due at `now` that wait and are due later, by
    /// [`change_waiting`](Self::change_waiting). Returns their number.
    ///
    /// # Errors
    /// The errors of `change_waiting`.
    async fn hasten(&self, ids: &[DeliveryId], now: DateTime<Utc>) -> Result<u64, StoreError> {
        let deliveries = ids.iter().copied().map(IfWaiting::any).collect();
        let changed = self.change_waiting(deliveries, WaitingChange::Due, now);
        Ok(changed.await?.len() as u64)
    }

    /// Ends deliveries that waited too long, at most `limit`, as `error` with
    /// [`EndReason::Expired`](super::EndReason::Expired). Returns their number.
    ///
    /// - They must be `queued`, and created before `created_before`.
    /// - Their webhook must not [send](webhook_model::Webhook::sends): it is paused, disabled or
    ///   fetched.
    /// - Their owner must not be suspended.
    /// - All conditions must hold in the transaction that ends them.
    /// - Each must count as failed in the hour of `now`.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn expire_held(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError>;

    /// Removes or hides deliveries beyond the retention limits: about `limit` rows of each kind, or
    /// a part of the log as a whole.
    ///
    /// - It must not touch a delivery that is `queued` or `running`.
    /// - After a call that returns `more` as false, nothing outside of the limits may be listed,
    ///   found, counted or replayed. [`PurgeBounds::bytes`] may be met somewhat later.
    /// - An emit must not wait for it.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn purge(
        &self,
        bounds: &PurgeBounds,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<Purged, StoreError>;

    /// Prepares the log for future deliveries, if the backend needs that. One process at a time
    /// calls it every few seconds.
    ///
    /// - Deliveries must be stored even if it was never called.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn prepare_log(&self, now: DateTime<Utc>) -> Result<LogHeadroom, StoreError>;

    /// Adds to counters.
    ///
    /// - The store must apply all increments of a call in one transaction.
    /// - A deleted webhook or owner must be skipped.
    /// - If an owner's sum falls below 0, it must be set to 0 before the next increment is added.
    /// - The caller must not add deliveries that end without an attempt. The store itself must
    ///   count them, in [`change_waiting`](Self::change_waiting),
    ///   [`expire_held`](Self::expire_held) and
    ///   [`QueueStore::reclaim`](super::QueueStore::reclaim).
    ///
    /// # Errors
    /// `Unavailable`.
    async fn add_counters(&self, added: Counters) -> Result<(), StoreError>;

    /// Returns the counters that match, newest first, then by webhook.
    ///
    /// - A deleted webhook must be left out.
    /// - Counters must outlive the deliveries. [`purge`](Self::purge) must remove hourly counters
    ///   by [`PurgeBounds::counts_before`], and those of rejected deliveries by
    ///   [`PurgeBounds::created_before`].
    ///
    /// # Errors
    /// `Unavailable`.
    async fn counters(&self, query: &CounterQuery) -> Result<Counters, StoreError>;

    /// Adds outcomes to the counters of (webhook, hour), by [`add_counters`](Self::add_counters).
    ///
    /// # Errors
    /// The errors of `add_counters`.
    async fn add_counts(&self, counts: &[HourlyCount]) -> Result<(), StoreError> {
        let hourly = counts.to_vec();
        let none = Counters::default();
        self.add_counters(Counters { hourly, ..none }).await
    }

    /// Adds to the counters of (webhook, reason, bucket), by [`add_counters`](Self::add_counters).
    ///
    /// # Errors
    /// The errors of `add_counters`.
    async fn count_rejected(&self, rejected: &[RejectedCount]) -> Result<(), StoreError> {
        let rejected = rejected.to_vec();
        let none = Counters::default();
        self.add_counters(Counters { rejected, ..none }).await
    }

    /// Adds to the usage of owners, by [`add_counters`](Self::add_counters).
    ///
    /// # Errors
    /// The errors of `add_counters`.
    async fn add_usage(&self, deltas: &[UsageDelta]) -> Result<(), StoreError> {
        let usage = deltas.to_vec();
        let none = Counters::default();
        self.add_counters(Counters { usage, ..none }).await
    }

    /// Returns the counters of a scope's webhooks, or of one of them, in hours from `from` until
    /// before `before`, newest hour first, then by webhook, at most `limit`. See
    /// [`counters`](Self::counters).
    ///
    /// # Errors
    /// The errors of `counters`.
    async fn hourly_counts(
        &self,
        scope: Scope,
        webhook: Option<WebhookId>,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<HourlyCount>, StoreError> {
        let query = CounterQuery {
            kind: CounterKind::Hourly,
            scope,
            webhooks: webhook.map(|webhook| vec![webhook]),
            from,
            before,
            limit,
        };
        Ok(self.counters(&query).await?.hourly)
    }

    /// Returns the counters of each of these webhooks, summed over the hours from `from` until
    /// before `before`, in the order of the request. See [`counters`](Self::counters). A deleted
    /// webhook, or one without counts in that period, is left out. `hour` is the newest hour with a
    /// count.
    ///
    /// # Errors
    /// The errors of `counters`.
    async fn summed_counts(
        &self,
        webhooks: &[WebhookId],
        from: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<Vec<HourlyCount>, StoreError> {
        let query = CounterQuery {
            kind: CounterKind::Hourly,
            scope: Scope::All,
            webhooks: Some(webhooks.to_vec()),
            from,
            before,
            limit: u32::MAX,
        };
        let mut of: BTreeMap<WebhookId, Vec<HourlyCount>> = BTreeMap::new();
        for count in self.counters(&query).await?.hourly {
            of.entry(count.webhook).or_default().push(count);
        }
        let sum = |webhook| HourlyCount::sum(of.get(webhook)?);
        Ok(webhooks.iter().filter_map(sum).collect())
    }

    /// Returns the counts of rejected deliveries, newest bucket first, at most `limit`. See
    /// [`counters`](Self::counters).
    ///
    /// # Errors
    /// The errors of `counters`.
    async fn rejected(&self, scope: Scope, limit: u32) -> Result<Vec<RejectedCount>, StoreError> {
        let query = CounterQuery {
            kind: CounterKind::Rejected,
            scope,
            webhooks: None,
            from: DateTime::UNIX_EPOCH,
            before: DateTime::<Utc>::MAX_UTC,
            limit,
        };
        Ok(self.counters(&query).await?.rejected)
    }

    /// Returns the usage of these owners, in the order of the request. It must cost one lookup for
    /// each.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn log_usage(&self, owners: &[OwnerId]) -> Result<Vec<LogUsage>, StoreError>;

    /// Counts the usage of an owner, stores it and returns it.
    ///
    /// - The store must read all visible deliveries of the owner.
    /// - If ended deliveries take more than `share` bytes, the store must hide the oldest of them
    ///   until the rest takes no more than that.
    /// - It must not hide a delivery that is `queued` or `running`, nor one of another owner.
    /// - A hidden delivery must not be listed, found, counted or replayed.
    /// - [`purge`](Self::purge) must remove hidden deliveries before others.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn recount_usage(&self, owner: OwnerId, share: u64) -> Result<LogUsage, StoreError>;

    /// Counts the queue at `now`, and stores the metrics for [`queue_stats`](Self::queue_stats).
    /// The cost may be proportional to the waiting deliveries: one process at a time calls it, at
    /// intervals.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn count_queue(&self, now: DateTime<Utc>) -> Result<QueueStats, StoreError>;

    /// Returns the metrics of the last count by any process, with one lookup; `None` if there was
    /// none.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn queue_stats(&self) -> Result<Option<QueueStats>, StoreError>;
}
