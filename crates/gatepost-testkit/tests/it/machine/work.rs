//! The reference store with one broken field: deliveries, attempts, the outbox.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::Page;
use gatepost_storage::webhooks::*;
use webhook_model::Occurrence;

use super::store::{Broken, Result, passed_on};

impl Broken {
    /// Returns all deliveries in their present state, if this call breaks the deliveries that it
    /// stores.
    async fn snapshot(&self, method: &str) -> Vec<Delivery> {
        if !self.deliveries.breaks(method) {
            return Vec::new();
        }
        let all = DeliveryQuery::all(Page::first(10_000));
        self.inner.list_deliveries(&all).await.unwrap_or_default()
    }

    /// Breaks the rows that a call has changed since.
    async fn changed(&self, method: &str, before: Vec<Delivery>) {
        for old in &before {
            self.deliveries.there_is(old.id.0, old.clone());
        }
        for row in self.snapshot(method).await {
            if !before.contains(&row) {
                self.deliveries.written(method, row.id.0, None, row);
            }
        }
    }

    fn later(
        &self,
        method: &str,
        occurrence: Occurrence,
        (left, by): (RemainingTasks, Option<OwnerId>),
        now: DateTime<Utc>,
    ) -> OutboxRow {
        let row = OutboxRow {
            id: OutboxId(0),
            occurrence: Ok(occurrence),
            left,
            by,
            turn: 0,
            created: now,
        };
        self.outbox.given(method, row)
    }

    /// Returns the batch with broken rows for later.
    fn broken(&self, mut batch: Enqueue, now: DateTime<Utc>) -> Enqueue {
        for later in &mut batch.later {
            let (occurrence, left) = (later.occurrence.clone(), later.left.clone());
            let row = self.later("enqueue, later", occurrence, (left, later.by), now);
            (later.left, later.by) = (row.left, row.by);
            if let Ok(occurrence) = row.occurrence {
                later.occurrence = occurrence;
            }
        }
        if let Origin::Outbox {
            left: Some((left, _)),
            ..
        } = &mut batch.origin
        {
            let none = gatepost_testkit::fixtures::occurrence("on");
            *left = self
                .later("enqueue, moved on", none, (left.clone(), None), now)
                .left;
        }
        batch
    }
}

passed_on! { QueueStore {
    fn queues(which: Queues, limit: u32, now: DateTime<Utc>) -> FoundQueues;
}
    async fn enqueue_all(
        &self,
        batches: Vec<Enqueue>,
        now: DateTime<Utc>,
    ) -> Vec<Result<Enqueued>> {
        let before = self.snapshot("enqueue").await;
        let broken = batches.into_iter().map(|batch| self.broken(batch, now));
        let done = self.inner.enqueue_all(broken.collect(), now).await;
        self.changed("enqueue", before).await;
        done
    }

    async fn claim(
        &self,
        queues: &[QueueClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Claimed>> {
        let before = self.snapshot("claim").await;
        let mut claimed = self.inner.claim(queues, lease_until, now).await?;
        self.changed("claim", before).await;
        for claim in &mut claimed {
            let row = claim.delivery.clone();
            claim.delivery = self.deliveries.read("claim", row.id.0, row);
        }
        Ok(claimed)
    }

    async fn settle(
        &self,
        mut settlements: Vec<Settlement>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Settled>> {
        let before = self.snapshot("settle").await;
        for settlement in &mut settlements {
            if let Some(attempt) = settlement.attempt.take() {
                settlement.attempt = Some(self.attempts.given("settle", attempt));
            }
        }
        let done = self.inner.settle(settlements, now).await;
        self.changed("settle", before).await;
        done
    }

    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Result<Reclaimed> {
        let before = self.snapshot("reclaim").await;
        let done = self.inner.reclaim(limit, now).await;
        self.changed("reclaim", before).await;
        done
    }

    async fn work_arrived(&self) -> Arrived {
        self.inner.work_arrived().await
    }
}

passed_on! { DeliveryLog {
    fn delete_delivery(id: DeliveryId, now: DateTime<Utc>) -> ();
    fn expire_held(created_before: DateTime<Utc>, limit: u32, now: DateTime<Utc>) -> u64;
    fn purge(keep: &PurgeBounds, limit: u32, now: DateTime<Utc>) -> Purged;
    fn prepare_log(now: DateTime<Utc>) -> LogHeadroom;
    fn add_counters(added: Counters) -> ();
    fn counters(query: &CounterQuery) -> Counters;
    fn log_usage(owners: &[OwnerId]) -> Vec<LogUsage>;
    fn recount_usage(owner: OwnerId, share: u64) -> LogUsage;
    fn count_queue(now: DateTime<Utc>) -> QueueStats;
    fn queue_stats() -> Option<QueueStats>;
}
    async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>> {
        let row = self.inner.delivery(id).await?;
        Ok(row.map(|row| self.deliveries.read("delivery", row.id.0, row)))
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>> {
        let rows = self.inner.list_deliveries(query).await?.into_iter();
        let rows = rows.map(|row| self.deliveries.read("list_deliveries", row.id.0, row));
        Ok(rows.collect())
    }

    async fn attempts(&self, id: DeliveryId, last: u32) -> Result<Vec<AttemptRecord>> {
        let rows = self.inner.attempts(id, last).await?.into_iter();
        let rows = rows.map(|row| {
            let id = row.started.timestamp_micros();
            self.attempts.read("attempts", id, row)
        });
        Ok(rows.collect())
    }

    async fn replay(&self, ids: &[DeliveryId], now: DateTime<Utc>) -> Result<u64> {
        let before = self.snapshot("replay").await;
        let done = self.inner.replay(ids, now).await;
        self.changed("replay", before).await;
        done
    }

    async fn change_waiting(
        &self,
        deliveries: Vec<IfWaiting>,
        change: WaitingChange,
        now: DateTime<Utc>,
    ) -> Result<Vec<ChangedDelivery>> {
        let method = match change {
            WaitingChange::Fetched { .. } => "acknowledge",
            WaitingChange::Cancelled { .. } => "cancel",
            WaitingChange::Due => "hasten",
        };
        let before = self.snapshot(method).await;
        let done = self.inner.change_waiting(deliveries, change, now).await;
        self.changed(method, before).await;
        done
    }
}

passed_on! { OutboxStore {
    fn open_outbox(audience: OutboxAudience, before: OutboxId, limit: u32) -> Vec<OpenOutbox>;
    fn give_back_outbox(audience: OutboxAudience, holder: u128) -> ();
    fn put_back(id: OutboxId, turn: u32, how: PutBack) -> ();
}
    async fn take_outbox(
        &self,
        holder: u128,
        limit: u32,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Option<OutboxTaken>> {
        let taken = self.inner.take_outbox(holder, limit, until, now).await?;
        Ok(taken.map(|taken| OutboxTaken {
            rows: (taken.rows.into_iter())
                .map(|row| self.outbox.read("take_outbox", row.id.0, row))
                .collect(),
            ..taken
        }))
    }

    async fn outbox_arrived(&self) {
        self.inner.outbox_arrived().await;
    }

    fn outbox_written(&self) {
        self.inner.outbox_written();
    }
}
