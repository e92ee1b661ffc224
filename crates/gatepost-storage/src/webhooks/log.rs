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

/// The status info of a delivery that waited too long for a webhook that does not send.
pub const EXPIRED_INFO: &str = "expired while it waited";

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
/// As [`RecordStore`](super::RecordStore).
#[async_trait]
pub trait DeliveryLog: fmt::Debug + Send + Sync + 'static {
    /// The delivery with this row number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, StoreError>;

    /// One page of the deliveries that match. Their messages are the page's
    /// [`Bodies`](crate::Bodies); whether one was kept is said whether or not they are read.
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

    /// The last attempts of a delivery, at most this many, oldest first; empty when there is no
    /// such delivery. The responses of the others, of which there may be any number, are not read.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn attempts(&self, id: DeliveryId, last: u32) -> Result<Vec<AttemptRecord>, StoreError>;

    /// Deletes a delivery and its attempts, whatever its state; the settlement of one that is being
    /// sent will be `Stale`.
    ///
    /// # Errors
    /// `NotFound`.
    async fn delete_delivery(&self, id: DeliveryId, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Queues ended deliveries again: due at `now`, `tries` and `lost_claims` 0, `status_info`
    /// empty, same message id, same bytes; the attempts made so far and the summary of the last
    /// one stay. One whose message was not kept is passed
    /// over. At most `limit`, oldest first. Returns how many.
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

    /// Ends at most `limit` queued deliveries of webhooks that do not
    /// [send](webhook_model::Webhook::sends), so that they are paused, disabled or fetched, and
    /// that were created before `created_before`: `error` with [`EXPIRED_INFO`]. What a held owner
    /// has does not expire. Returns how many. Each counts as failed in the hour of `now`.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn expire_held(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError>;

    /// Ends what retention does not keep, never what is `queued` or `running`: after a call that
    /// says there is no `more`, nothing outside of the bounds is listed, found, counted or
    /// replayed, but for that of [`PurgeBounds::bytes`], which is about. Removes or hides about
    /// `limit` rows of each kind in one call, or drops a part of the log as a whole; nothing
    /// that it does makes an emit wait.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn purge(
        &self,
        bounds: &PurgeBounds,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<Purged, StoreError>;

    /// Makes room in the log ahead of what comes, where the backend needs that. Called each few
    /// seconds by one process at a time. Where it has not been called, deliveries are stored all
    /// the same.
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

    /// Counts the queue at `now` and keeps the figures for all who ask. Costs what waits: one
    /// process at a time does it, now and then.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn count_queue(&self, now: DateTime<Utc>) -> Result<QueueStats, StoreError>;

    /// The figures that were counted last, by any process: one lookup. `None`: never yet.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn queue_stats(&self) -> Result<Option<QueueStats>, StoreError>;
}
