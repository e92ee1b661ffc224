//! The delivery log.

mod attempt;
mod counters;
mod delete;
mod expire;
pub(crate) mod list;
mod purge;
mod replay;
mod snapshot;
mod stats;
mod usage;
mod waiting;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{
    AttemptRecord, ChangedDelivery, CounterQuery, Counters, Delivery, DeliveryId, DeliveryLog,
    DeliveryQuery, IfWaiting, LogHeadroom, LogUsage, PurgeBounds, Purged, QueueStats,
    WaitingChange,
};

use self::snapshot::Look;
use crate::error::Answer;
use crate::store::SqliteStore;

#[async_trait]
impl DeliveryLog for SqliteStore {
    async fn delivery(&self, id: DeliveryId) -> Answer<Option<Delivery>> {
        self.read(move |c| {
            let look = Look::new(c)?;
            let found = look.find(id.0)?;
            found.map(|found| look.delivery(&found, true)).transpose()
        })
        .await
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Answer<Vec<Delivery>> {
        let query = query.clone();
        self.read(move |c| list::page(c, &query)).await
    }

    async fn attempts(&self, id: DeliveryId, last: u32) -> Answer<Vec<AttemptRecord>> {
        let attempts = self.read(move |c| attempt::last(c, id, last)).await?;
        let attempts = attempts.into_iter();
        attempts
            .map(|(number, attempt)| attempt.open(number, self.sealing()))
            .collect()
    }

    async fn delete_delivery(&self, id: DeliveryId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |c| delete::delete(c, id)).await
    }

    async fn replay(&self, ids: &[DeliveryId], now: DateTime<Utc>) -> Answer<u64> {
        let ids = ids.iter().copied().collect();
        self.write(move |c| replay::again(c, &ids, now)).await
    }

    async fn change_waiting(
        &self,
        deliveries: Vec<IfWaiting>,
        change: WaitingChange,
        now: DateTime<Utc>,
    ) -> Answer<Vec<ChangedDelivery>> {
        self.write(move |c| waiting::change(c, &deliveries, &change, now))
            .await
    }

    async fn expire_held(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Answer<u64> {
        expire::expire(self, created_before, limit, now).await
    }

    async fn purge(&self, bounds: &PurgeBounds, limit: u32, _now: DateTime<Utc>) -> Answer<Purged> {
        purge::purge(self, *bounds, limit).await
    }

    async fn prepare_log(&self, _now: DateTime<Utc>) -> Answer<LogHeadroom> {
        let bytes = self.read(stats::bytes).await?;
        Ok(LogHeadroom { ahead: None, bytes })
    }

    async fn add_counters(&self, added: Counters) -> Answer<()> {
        self.write(move |c| counters::add(c, &added)).await
    }

    async fn counters(&self, query: &CounterQuery) -> Answer<Counters> {
        let query = query.clone();
        self.read(move |c| counters::list(c, &query)).await
    }

    async fn log_usage(&self, owners: &[OwnerId]) -> Answer<Vec<LogUsage>> {
        let owners = owners.to_vec();
        self.read(move |c| owners.iter().map(|owner| usage::of(c, *owner)).collect())
            .await
    }

    async fn recount_usage(&self, owner: OwnerId, share: u64) -> Answer<LogUsage> {
        let counted = self.read(move |c| usage::count(c, owner, share)).await?;
        self.write(move |c| usage::set(c, owner, counted)).await?;
        Ok(counted.usage)
    }

    async fn count_queue(&self, now: DateTime<Utc>) -> Answer<QueueStats> {
        let counted = self.read(move |c| stats::count(c, now)).await?;
        self.write(move |c| stats::keep(c, &counted)).await?;
        Ok(counted)
    }

    async fn queue_stats(&self) -> Answer<Option<QueueStats>> {
        self.read(stats::kept).await
    }
}
