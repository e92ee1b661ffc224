//! The queue.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    Arrived, Claimed, Enqueue, Enqueued, FoundQueues, LaneClaim, QueueStore, Queues, Reclaimed,
    Settled, Settlement,
};

use super::enqueue::enqueue;
use super::error::Answer;
use super::redb_store::RedbStore;
use super::{claims, lanes};

#[async_trait]
impl QueueStore for RedbStore {
    async fn enqueue_all(
        &self,
        batches: Vec<Enqueue>,
        now: DateTime<Utc>,
    ) -> Vec<Answer<Enqueued>> {
        let together = batches.clone().into_iter();
        let together = self.write(move |tx| {
            let enqueued = together.map(|batch| enqueue(tx, batch, now));
            enqueued.collect::<Answer<Vec<_>>>()
        });
        if let Ok(all) = together.await {
            return all.into_iter().map(Ok).collect();
        }
        // One cannot be stored, and nothing was: none of them is to fail by another.
        let mut each = Vec::new();
        for batch in batches {
            each.push(self.write(move |tx| enqueue(tx, batch, now)).await);
        }
        each
    }

    async fn queues(&self, which: Queues, limit: u32, now: DateTime<Utc>) -> Answer<FoundQueues> {
        self.read(move |tx, _| lanes::find(tx, &which, limit, now))
            .await
    }

    async fn claim(
        &self,
        lanes: &[LaneClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Answer<Vec<Claimed>> {
        let lanes = lanes.to_vec();
        self.write(move |tx| {
            let mut claimed = Vec::new();
            for lane in lanes {
                claimed.extend(claims::claim(tx, lane, lease_until, now)?);
            }
            Ok(claimed)
        })
        .await
    }

    async fn settle(
        &self,
        settlements: Vec<Settlement>,
        _now: DateTime<Utc>,
    ) -> Answer<Vec<Settled>> {
        let settlements = settlements.into_iter();
        self.write(move |tx| settlements.map(|one| claims::settle(tx, one)).collect())
            .await
    }

    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Answer<Reclaimed> {
        self.write(move |tx| claims::reclaim(tx, limit, now)).await
    }

    async fn work_arrived(&self) -> Arrived {
        // No other process can have the file.
        std::future::pending().await
    }
}
