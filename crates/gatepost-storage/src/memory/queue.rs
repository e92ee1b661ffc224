//! The queue in memory.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::store::MemoryStore;
use crate::error::StoreError;
use crate::webhooks::{
    Arrived, Claimed, Enqueue, Enqueued, FoundQueues, LaneClaim, QueueStore, Queues, Reclaimed,
    Settled, Settlement,
};

#[async_trait]
impl QueueStore for MemoryStore {
    async fn enqueue_all(
        &self,
        batches: Vec<Enqueue>,
        now: DateTime<Utc>,
    ) -> Vec<Result<Enqueued, StoreError>> {
        let mut tables = self.tables();
        let enqueue = |batch| tables.enqueue(batch, now);
        batches.into_iter().map(enqueue).collect()
    }

    async fn queues(
        &self,
        which: Queues,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<FoundQueues, StoreError> {
        Ok(self.tables().queues(which, limit as usize, now))
    }

    async fn claim(
        &self,
        lanes: &[LaneClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Claimed>, StoreError> {
        let mut tables = self.tables();
        let claimed = lanes.iter();
        let claimed = claimed.flat_map(|lane| tables.claim(*lane, lease_until, now));
        Ok(claimed.collect())
    }

    async fn settle(
        &self,
        settlements: Vec<Settlement>,
        _now: DateTime<Utc>,
    ) -> Result<Vec<Settled>, StoreError> {
        let mut tables = self.tables();
        let settle = |settlement: Settlement| {
            let id = settlement.claim.delivery;
            let settled = tables.deliveries.change(id, |slot| {
                slot.settle(settlement)
                    .map(|attempt| slot.log.extend(attempt))
            });
            match settled {
                Some(settled) => settled.map_or_else(|answer| answer, |()| Settled::Done),
                None => Settled::Stale,
            }
        };
        Ok(settlements.into_iter().map(settle).collect())
    }

    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Result<Reclaimed, StoreError> {
        Ok(self.tables().reclaim(limit, now))
    }

    async fn work_arrived(&self) -> Arrived {
        // No other process can reach this memory.
        std::future::pending().await
    }
}
