//! The queue.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{
    Arrived, Claimed, Enqueue, Enqueued, FoundQueues, QueueClaim, QueueStore, Queues, Reclaimed,
    Settled, Settlement,
};

use super::enqueue::enqueue;
use super::error::Outcome;
use super::kv_store::KvStore;
use super::tx::Tx;
use super::{claims, queues};

/// The maximum bytes of requests and responses that are settled in one change.
const PART_BYTES: u64 = 4 * 1024 * 1024;

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
        self.read(move |view| queues::find(view, &which, limit, now))
            .await
    }

    async fn claim(
        &self,
        queues: &[QueueClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Claimed>, StoreError> {
        let queues = queues.to_vec();
        self.write(move |tx| {
            let mut claimed = Vec::new();
            for queue in &queues {
                claimed.extend(claims::claim(tx, *queue, lease_until, now)?);
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
        let mut answers = Vec::new();
        for part in in_parts(settlements) {
            let keys = self.sealing.clone();
            let settle = move |tx: &mut Tx<'_>| {
                let part = part.iter().cloned();
                part.map(|settlement| claims::settle(tx, settlement, &keys))
                    .collect::<Outcome<Vec<_>>>()
            };
            answers.push(self.submit(settle).await);
        }
        let mut settled = Vec::new();
        for answer in answers {
            settled.extend(answer.get().await?);
        }
        Ok(settled)
    }

    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Result<Reclaimed, StoreError> {
        self.write(move |tx| claims::reclaim(tx, limit, now)).await
    }

    async fn work_arrived(&self) -> Arrived {
        self.others_may_have_written().await;
        Arrived::Due
    }
}

/// Divides settlements into parts that fit into one change.
fn in_parts(settlements: Vec<Settlement>) -> Vec<Vec<Settlement>> {
    let (mut parts, mut room) = (Vec::new(), 0);
    for settlement in settlements {
        let attempt = settlement.attempt.as_ref();
        let bytes = attempt.map_or(0, |attempt| attempt.kept_bytes());
        if parts.is_empty() || bytes > room {
            parts.push(Vec::new());
            room = PART_BYTES;
        }
        room = room.saturating_sub(bytes);
        if let Some(part) = parts.last_mut() {
            part.push(settlement);
        }
    }
    parts
}
