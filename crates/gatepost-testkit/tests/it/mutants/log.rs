//! A delivery log and an outbox with one fault, named by the clause that it breaks.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryLog, DeliveryQuery, OutboxId, OutboxRow,
    OutboxStore, PurgeBounds, QueueStats, Replay,
};
use gatepost_storage::{MemoryStore, StoreError};
use webhook_model::Occurrence;

type Result<T> = std::result::Result<T, StoreError>;

#[derive(Debug)]
pub(crate) struct Mutant {
    pub(crate) inner: Arc<MemoryStore>,
    pub(crate) fault: String,
}

impl Mutant {
    fn is(&self, fault: &str) -> bool {
        self.fault == fault
    }
}

#[async_trait]
impl DeliveryLog for Mutant {
    async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>> {
        let mut found = self.inner.delivery(id).await?;
        if let (true, Some(delivery)) = (self.is("l01"), &mut found) {
            delivery.body = delivery.body.trim().into();
        }
        Ok(found)
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>> {
        let mut query = query.clone();
        if self.is("l02") {
            query.states.clear();
        }
        self.inner.list_deliveries(&query).await
    }

    async fn attempts(&self, id: DeliveryId) -> Result<Vec<AttemptRecord>> {
        let mut attempts = self.inner.attempts(id).await?;
        if self.is("l03") {
            attempts.reverse();
        }
        Ok(attempts)
    }

    async fn delete_delivery(&self, id: DeliveryId, now: DateTime<Utc>) -> Result<()> {
        if self.is("l07") {
            return Ok(());
        }
        self.inner.delete_delivery(id, now).await
    }

    async fn replay(&self, which: &Replay, limit: u32, now: DateTime<Utc>) -> Result<u64> {
        let limit = if self.is("l05") { u32::MAX } else { limit };
        let count = self.inner.replay(which, limit, now).await?;
        match which {
            Replay::Ids(ids) if self.is("l04") => Ok(ids.len() as u64),
            _ => Ok(count),
        }
    }

    async fn cancel(&self, ids: &[DeliveryId], reason: &str, now: DateTime<Utc>) -> Result<u64> {
        if self.is("l06") {
            return Ok(ids.len() as u64);
        }
        self.inner.cancel(ids, reason, now).await
    }

    async fn expire_held(
        &self,
        before: DateTime<Utc>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<u64> {
        let before = if self.is("l08") { now } else { before };
        self.inner.expire_held(before, limit, now).await
    }

    async fn purge(&self, keep: &PurgeBounds, limit: u32, now: DateTime<Utc>) -> Result<u64> {
        let mut keep = *keep;
        match self.fault.as_str() {
            "l09" => keep.created_before += TimeDelta::seconds(1),
            "l10" => keep.newest_per_webhook = keep.newest_per_webhook.saturating_add(1),
            "l11" => keep.occurrences_before = DateTime::UNIX_EPOCH,
            _ => {}
        }
        self.inner.purge(&keep, limit, now).await
    }

    async fn queue_stats(&self, now: DateTime<Utc>) -> Result<QueueStats> {
        let mut stats = self.inner.queue_stats(now).await?;
        if self.is("l12") {
            stats.outbox = 0;
        }
        Ok(stats)
    }
}

#[async_trait]
impl OutboxStore for Mutant {
    async fn push_outbox(&self, occurrence: &Occurrence, now: DateTime<Utc>) -> Result<OutboxId> {
        let mut occurrence = occurrence.clone();
        if self.is("o01") {
            occurrence.variables.sort();
        }
        self.inner.push_outbox(&occurrence, now).await
    }

    async fn outbox(&self, limit: u32) -> Result<Vec<OutboxRow>> {
        let mut rows = self.inner.outbox(limit).await?;
        if self.is("o02") {
            rows.reverse();
        }
        Ok(rows)
    }

    async fn reject_outbox(&self, id: OutboxId, reason: &str, now: DateTime<Utc>) -> Result<()> {
        if self.is("o05") {
            return Ok(());
        }
        self.inner.reject_outbox(id, reason, now).await
    }
}
