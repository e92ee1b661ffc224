//! The queue in memory.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::store::MemoryStore;
use crate::error::StoreError;
use crate::webhooks::{
    Claimed, DueLane, Enqueue, Enqueued, Lane, LaneClaim, QueueStore, Reclaimed, Settled,
    Settlement,
};

#[async_trait]
impl QueueStore for MemoryStore {
    async fn enqueue(&self, batch: Enqueue, now: DateTime<Utc>) -> Result<Enqueued, StoreError> {
        self.tables().enqueue(batch, now)
    }

    async fn due_lanes(
        &self,
        after: Option<Lane>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<Vec<DueLane>, StoreError> {
        let tables = self.tables();
        let lanes = tables.deliveries.work.lanes(after);
        let due = lanes.filter_map(|lane| tables.due_lane(lane, now));
        Ok(due.take(limit as usize).collect())
    }

    async fn next_due(&self, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, StoreError> {
        let tables = self.tables();
        let work = &tables.deliveries.work;
        let lanes = work.lanes(None);
        let lanes = lanes.filter(|lane| tables.sending(lane.webhook).is_some());
        let next = |lane| {
            let mut dues = work.lane_from(lane, now).map(|(due, _)| due);
            dues.find(|due| *due > now)
        };
        Ok(lanes.filter_map(next).min())
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
            let settled = tables.deliveries.change(id, |slot| slot.settle(settlement));
            settled.unwrap_or(Settled::Stale)
        };
        Ok(settlements.into_iter().map(settle).collect())
    }

    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Result<Reclaimed, StoreError> {
        Ok(self.tables().reclaim(limit, now))
    }

    async fn work_arrived(&self) {
        // No other process can reach this memory.
        std::future::pending::<()>().await;
    }
}
