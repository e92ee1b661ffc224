//! The delivery log: what was sent, what will be, and how it went.

use std::collections::BTreeSet;
use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use gatepost_ids::OwnerId;
use webhook_model::{TaskId, WebhookId};

use super::delivery::{AttemptRecord, Delivery, DeliveryId};
use super::delivery_query::DeliveryQuery;
use super::dropped::Dropped;
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

/// What an engine adds to an owner's [`LogUsage`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct UsageDelta {
    /// The owner.
    pub owner: OwnerId,
    /// Deliveries that have not ended.
    pub waiting: i64,
    /// Bytes of their messages.
    pub waiting_bytes: i64,
    /// Bytes of the messages, heads of requests and responses of all deliveries.
    pub log_bytes: i64,
}

/// What became of a webhook's deliveries within an hour.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct HourlyCount {
    /// The webhook.
    pub webhook: WebhookId,
    /// The beginning of the hour in which that was recorded.
    pub hour: DateTime<Utc>,
    /// Deliveries that were sent.
    pub sent: u64,
    /// Deliveries that ended in `error`.
    pub failed: u64,
    /// Attempts after which another was to follow.
    pub retried: u64,
    /// How long all attempts took together.
    pub milliseconds: u64,
    /// Bytes of the messages, heads of requests and responses that were stored.
    pub bytes: u64,
}

impl HourlyCount {
    /// A delivery that ended in `error` without an attempt, at `now`.
    #[must_use]
    pub fn failed(webhook: WebhookId, now: DateTime<Utc>) -> Self {
        Self {
            webhook,
            hour: now.duration_trunc(TimeDelta::hours(1)).unwrap_or(now),
            sent: 0,
            failed: 1,
            retried: 0,
            milliseconds: 0,
            bytes: 0,
        }
    }

    /// These together, all of one webhook, as of the newest of their hours; `None` of none.
    #[must_use]
    pub fn sum(counts: &[Self]) -> Option<Self> {
        let (first, rest) = counts.split_first()?;
        let sum = rest.iter().fold(*first, |sum, more| Self {
            hour: sum.hour.max(more.hour),
            sent: sum.sent.saturating_add(more.sent),
            failed: sum.failed.saturating_add(more.failed),
            retried: sum.retried.saturating_add(more.retried),
            milliseconds: sum.milliseconds.saturating_add(more.milliseconds),
            bytes: sum.bytes.saturating_add(more.bytes),
            ..sum
        });
        Some(sum)
    }
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

    /// Ends those of the given deliveries that are `queued`: `error` with the given reason. Returns
    /// how many; one that is being sent is not among them. Each counts as failed
    /// ([`HourlyCount::failed`]) in the hour of `now`, in the same transaction.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn cancel(
        &self,
        ids: &[DeliveryId],
        reason: &str,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError>;

    /// Makes those of the given deliveries due at `now` that are `queued` and due later. Returns
    /// how many. Nothing else of them changes.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn hasten(&self, ids: &[DeliveryId], now: DateTime<Utc>) -> Result<u64, StoreError>;

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

    /// Adds to the counters of (webhook, hour) what attempts ended. What ends without one is
    /// counted by the store itself: [`cancel`](Self::cancel), [`expire_held`](Self::expire_held),
    /// [`QueueStore::reclaim`](super::QueueStore::reclaim). Webhooks that are gone are skipped.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn add_counts(&self, counts: &[HourlyCount]) -> Result<(), StoreError>;

    /// The counters of a scope's webhooks, or of one of them, in hours from `from` until before
    /// `before`, newest hour first, then by webhook, at most `limit`. They outlive the deliveries.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn hourly_counts(
        &self,
        scope: Scope,
        webhook: Option<WebhookId>,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<HourlyCount>, StoreError>;

    /// The counters of each of these webhooks, summed up over the hours from `from` until before
    /// `before`, in the order of the request: what a page of a list shows. Those of which nothing
    /// was counted then, or that are gone, are left out. `hour` is the newest in which something
    /// was counted.
    ///
    /// Without an implementation of its own a store is asked for each of them.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn summed_counts(
        &self,
        webhooks: &[WebhookId],
        from: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<Vec<HourlyCount>, StoreError> {
        let mut sums = Vec::new();
        for webhook in webhooks {
            let all = Scope::All;
            let hours = self.hourly_counts(all, Some(*webhook), from, before, u32::MAX);
            sums.extend(HourlyCount::sum(&hours.await?));
        }
        Ok(sums)
    }

    /// Adds to what owners use; a sum below 0 is 0. Owners who are gone are skipped.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn add_usage(&self, deltas: &[UsageDelta]) -> Result<(), StoreError>;

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

    /// Adds to the counts of (webhook, reason, minute); webhooks that are gone are skipped.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn count_dropped(&self, dropped: &[Dropped]) -> Result<(), StoreError>;

    /// What was counted instead of stored, newest minute first, at most `limit`.
    /// [`purge`](Self::purge) removes what is older than ended deliveries may be.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn dropped(&self, scope: Scope, limit: u32) -> Result<Vec<Dropped>, StoreError>;

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
