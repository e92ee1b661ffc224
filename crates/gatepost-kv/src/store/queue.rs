//! The queue.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{
    Arrived, Claimed, Enqueue, Enqueued, FoundQueues, LaneClaim, QueueStore, Queues, Reclaimed,
    Settled, Settlement,
};

use super::enqueue::enqueue;
use super::kv_store::KvStore;
use super::{claims, lanes};

#[async_trait]
impl QueueStore for KvStore {
    async fn enqueue_all(
        &self,
        batches: Vec<Enqueue>,
        now: DateTime<Utc>,
    ) -> Vec<Result<Enqueued, StoreError>> {
        let mut answers = Vec::with_capacity(batches.len());
        for batch in batches {
            answers.push(self.submit(move |tx| enqueue(tx, &batch, now)).await);
        }
        let mut enqueued = Vec::with_capacity(answers.len());
        for answer in answers {
            enqueued.push(answer.get().await);
        }
        enqueued
    }

    async fn queues(
        &self,
        which: Queues,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<FoundQueues, StoreError> {
        self.read(move |view| lanes::find(view, &which, limit, now))
            .await
    }

    async fn claim(
        &self,
        lanes: &[LaneClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Claimed>, StoreError> {
        let lanes = lanes.to_vec();
        self.write(move |tx| {
            let mut claimed = Vec::new();
            for lane in &lanes {
                claimed.extend(claims::claim(tx, *lane, lease_until, now)?);
            }
            Ok(claimed)
        })
        .await
    }

    async fn settle(
        &self,
        settlements: Vec<Settlement>,
        _now: DateTime<Utc>,
    ) -> Result<Vec<Settled>, StoreError> {
        let keys = self.sealing.clone();
        self.write(move |tx| {
            let settlements = settlements.iter().cloned();
            settlements
                .map(|settlement| claims::settle(tx, settlement, &keys))
                .collect()
        })
        .await
    }

    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Result<Reclaimed, StoreError> {
        self.write(move |tx| claims::reclaim(tx, limit, now)).await
    }

    async fn work_arrived(&self) -> Arrived {
        self.others_may_have_written().await;
        Arrived::Due
    }
}
