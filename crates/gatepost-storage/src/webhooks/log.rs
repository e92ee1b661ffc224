//! The delivery log: what was sent, what will be, and how it went.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use webhook_model::{TaskId, WebhookId};

use super::counters::{CounterKind, CounterQuery, Counters, HourlyCount, UsageDelta};
use super::delivery::{AttemptRecord, Delivery, DeliveryId};
use super::delivery_query::DeliveryQuery;
use super::dropped::Dropped;
use super::waiting::{ChangedDelivery, IfWaiting, WaitingChange};
use crate::error::StoreError;
use crate::page::Scope;

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

/// How much of the log is kept. By age it ends what is *shown*; what is stored leaves with that, or
/// somewhat later, in the order in which it came.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PurgeBounds {
    /// Ended deliveries created before this are removed.
    pub created_before: DateTime<Utc>,
    /// How many bytes the log may take in the database, about; the oldest of what has ended leaves
    /// first. `None`: as many as there are.
    pub bytes: Option<u64>,
    /// Counters of hours before this are removed.
    pub counts_before: DateTime<Utc>,
    /// Ids of occurrences stored before this are forgotten: they would be taken as new.
    pub occurrences_before: DateTime<Utc>,
}

/// How much of the queue and the log is one owner's: an estimate, as the engines add it up.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct LogUsage {
    /// Deliveries that have not ended.
    pub waiting: u64,
    /// Bytes of their messages.
    pub waiting_bytes: u64,
    /// Bytes of the messages, heads of requests and responses of all deliveries.
    pub log_bytes: u64,
}

/// What [`DeliveryLog::purge`] did.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Purged {
    /// Rows that are not shown any more, or were removed, as far as that is counted.
    pub rows: u64,
    /// Something is left to do: call again.
    pub more: bool,
}

/// How much room the log has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LogRoom {
    /// Partitions that are ready for deliveries still to come; `None` where the log has no such.
    pub ahead: Option<u32>,
    /// Bytes that the log takes in the database, about.
    pub bytes: u64,
}

/// The queue in figures, as they were counted last.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct QueueStats {
    /// When.
    pub counted: DateTime<Utc>,
    /// Deliveries waiting, those of paused webhooks included.
    pub queued: u64,
    /// Deliveries under a lease.
    pub running: u64,
    /// The oldest due time among waiting deliveries of webhooks that send and whose owners are
    /// neither held nor moving.
    pub oldest_due: Option<DateTime<Utc>>,
    /// Rows of the outbox that wait; those set aside are not among them.
    pub outbox: u64,
}

/// Reads and maintains the delivery log.
///
/// # Contract
/// As [`RecordStore`](super::RecordStore). In addition:
/// - A delivery must be in exactly one of the four states. Only the calls of the diagram in
///   [`webhooks`](crate::webhooks) may change it.
/// - A delivery that was deleted, is hidden, or belongs to a webhook or an owner who is gone must
///   not be listed, found, counted, changed or replayed.
#[async_trait]
pub trait DeliveryLog: fmt::Debug + Send + Sync + 'static {
    /// Returns the delivery with this row number, with its message.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, StoreError>;

    /// Returns one page of the deliveries that match.
    ///
    /// - Their messages must be the page's [`Bodies`](crate::Bodies).
    /// - Whether a message was kept must be said whether or not messages are read.
    /// - A page must be full if more deliveries match.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn list_deliveries(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>, StoreError>;

    /// Returns when the newest delivery of each of these tasks was created, in order of tasks. A
    /// task of which no delivery is shown must not be there.
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
    /// - Of a delivery that does not exist the store must return none.
    /// - It must not read the other attempts: a delivery may have any number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn attempts(&self, id: DeliveryId, last: u32) -> Result<Vec<AttemptRecord>, StoreError>;

    /// Deletes a delivery and its attempts, whatever its state.
    ///
    /// - The settlement of one that was `running` must be [`Stale`](super::Settled::Stale).
    ///
    /// # Errors
    /// `NotFound`.
    async fn delete_delivery(&self, id: DeliveryId, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Queues ended deliveries again, the oldest first, at most `limit`. Returns how many.
    ///
    /// - They must be due at `now`, with `tries` and `lost_claims` 0 and `status_info` empty.
    /// - Message id, message, attempts and the summary of the last attempt must stay.
    /// - A delivery whose message was not kept must be passed over.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn replay(
        &self,
        which: &Replay,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError>;

    /// Changes deliveries that wait.
    ///
    /// - The store must pass over a delivery that is not `queued`, or is not as its [`IfWaiting`]
    ///   says.
    /// - It must change all of a call in one transaction, and return those that it changed, by
    ///   row number.
    /// - Whether the webhook is active, or fetched, must not matter.
    /// - [`WaitingChange::Fetched`] must add one attempt, to the log too
    ///   ([`AttemptRecord::fetched`]).
    /// - [`WaitingChange::Cancelled`] must count each delivery as failed
    ///   ([`HourlyCount::failed`]) in the hour of `now`.
    /// - [`WaitingChange::Due`] must pass over a delivery that is due at `now`. It must change
    ///   nothing but the due time, to `now`.
    ///
    /// # Errors
    /// `Unavailable`: none was changed; the same call may be repeated.
    async fn change_waiting(
        &self,
        deliveries: Vec<IfWaiting>,
        change: WaitingChange,
        now: DateTime<Utc>,
    ) -> Result<Vec<ChangedDelivery>, StoreError>;

    /// Ends those of the given deliveries that wait: `error` with the given reason. Returns how
    /// many: [`change_waiting`](Self::change_waiting).
    ///
    /// # Errors
    /// As there.
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

    /// Makes those of the given deliveries due at `now` that wait and are due later. Returns how
    /// many: [`change_waiting`](Self::change_waiting).
    ///
    /// # Errors
    /// As there.
    async fn hasten(&self, ids: &[DeliveryId], now: DateTime<Utc>) -> Result<u64, StoreError> {
        let deliveries = ids.iter().copied().map(IfWaiting::any).collect();
        let changed = self.change_waiting(deliveries, WaitingChange::Due, now);
        Ok(changed.await?.len() as u64)
    }

    /// Ends deliveries that waited too long, at most `limit`: `error` with
    /// [`EndReason::Expired`](super::EndReason::Expired). Returns how many.
    ///
    /// - They must be `queued`, and created before `created_before`.
    /// - Their webhook must not [send](webhook_model::Webhook::sends): it is paused, disabled or
    ///   fetched.
    /// - Their owner must not be held.
    /// - All of that must be true in the transaction that ends them.
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

    /// Removes or hides what retention does not keep: about `limit` rows of each kind, or a part of
    /// the log as a whole.
    ///
    /// - It must not touch a delivery that is `queued` or `running`.
    /// - After a call that says there is no `more`, nothing outside of the bounds must be listed,
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

    /// Makes room in the log for deliveries still to come, if the backend needs that. One process
    /// at a time calls it each few seconds.
    ///
    /// - Deliveries must be stored even if it was never called.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn prepare_log(&self, now: DateTime<Utc>) -> Result<LogRoom, StoreError>;

    /// Adds to counters.
    ///
    /// - The store must add all of a call in one transaction.
    /// - A webhook or an owner who is gone must be skipped.
    /// - An owner's sum that falls below 0 must be 0 before the next delta is added.
    /// - The caller must not add what ends without an attempt. The store counts that itself:
    ///   [`change_waiting`](Self::change_waiting), [`expire_held`](Self::expire_held),
    ///   [`QueueStore::reclaim`](super::QueueStore::reclaim).
    ///
    /// # Errors
    /// `Unavailable`.
    async fn add_counters(&self, added: Counters) -> Result<(), StoreError>;

    /// Returns the counters that are asked for, newest first, then by webhook.
    ///
    /// - A webhook that is gone must not be there.
    /// - Counters must outlive the deliveries. [`purge`](Self::purge) must remove hourly ones by
    ///   [`PurgeBounds::counts_before`], and those of what was rejected by
    ///   [`PurgeBounds::created_before`].
    ///
    /// # Errors
    /// `Unavailable`.
    async fn counters(&self, query: &CounterQuery) -> Result<Counters, StoreError>;

    /// Adds to the counters of (webhook, hour) what attempts ended:
    /// [`add_counters`](Self::add_counters).
    ///
    /// # Errors
    /// As there.
    async fn add_counts(&self, counts: &[HourlyCount]) -> Result<(), StoreError> {
        let hourly = counts.to_vec();
        let none = Counters::default();
        self.add_counters(Counters { hourly, ..none }).await
    }

    /// Adds to the counts of (webhook, reason, minute): [`add_counters`](Self::add_counters).
    ///
    /// # Errors
    /// As there.
    async fn count_dropped(&self, dropped: &[Dropped]) -> Result<(), StoreError> {
        let rejected = dropped.to_vec();
        let none = Counters::default();
        self.add_counters(Counters { rejected, ..none }).await
    }

    /// Adds to what owners use: [`add_counters`](Self::add_counters).
    ///
    /// # Errors
    /// As there.
    async fn add_usage(&self, deltas: &[UsageDelta]) -> Result<(), StoreError> {
        let usage = deltas.to_vec();
        let none = Counters::default();
        self.add_counters(Counters { usage, ..none }).await
    }

    /// Returns the counters of a scope's webhooks, or of one of them, in hours from `from` until
    /// before `before`, newest hour first, then by webhook, at most `limit`:
    /// [`counters`](Self::counters).
    ///
    /// # Errors
    /// As there.
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

    /// Returns the counters of each of these webhooks, summed up over the hours from `from` until
    /// before `before`, in the order of the request: [`counters`](Self::counters). A webhook of
    /// which nothing was counted then, or that is gone, is left out. `hour` is the newest in which
    /// something was counted.
    ///
    /// # Errors
    /// As there.
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

    /// Returns what was counted instead of stored, newest minute first, at most `limit`:
    /// [`counters`](Self::counters).
    ///
    /// # Errors
    /// As there.
    async fn dropped(&self, scope: Scope, limit: u32) -> Result<Vec<Dropped>, StoreError> {
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

    /// What owners use, in the order of the request, at the cost of one lookup each.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn log_usage(&self, owners: &[OwnerId]) -> Result<Vec<LogUsage>, StoreError>;

    /// Counts what an owner uses, stores that and returns it.
    ///
    /// The store must read all deliveries of the owner that are shown. If those that have ended
    /// take more than `share` bytes, the store must hide the oldest of them until the rest takes
    /// no more. It must not hide a delivery that is `queued` or `running`, nor one of another
    /// owner. A hidden delivery must not be listed, found, counted or replayed.
    /// [`purge`](Self::purge) must remove hidden deliveries before others.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn recount_usage(&self, owner: OwnerId, share: u64) -> Result<LogUsage, StoreError>;

    /// Counts the queue at `now`, and keeps the figures for [`queue_stats`](Self::queue_stats). It
    /// may cost as much as waits: one process at a time calls it, now and then.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn count_queue(&self, now: DateTime<Utc>) -> Result<QueueStats, StoreError>;

    /// Returns the figures that were counted last, by any process, by one lookup; `None` if none
    /// ever were.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn queue_stats(&self) -> Result<Option<QueueStats>, StoreError>;
}
