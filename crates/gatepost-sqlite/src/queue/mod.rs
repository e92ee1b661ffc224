//! The durable queue.

pub(crate) mod queues;

mod claim;
mod enqueue;
mod reclaim;
mod settle;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::columns::SealedAttempt;
use gatepost_storage::webhooks::{
    Arrived, Claimed, Enqueue, Enqueued, FoundQueues, QueueClaim, QueueStore, Queues, Reclaimed,
    Settled, Settlement,
};

use crate::error::{Answer, unavailable};
use crate::store::SqliteStore;

#[async_trait]
impl QueueStore for SqliteStore {
    async fn enqueue_all(
        &self,
        batches: Vec<Enqueue>,
        now: DateTime<Utc>,
    ) -> Vec<Answer<Enqueued>> {
        let count = batches.len();
        let answers = self.write_in_batch(move |c, batch| enqueue::all(c, batch, &batches, now));
        answers.await.unwrap_or_else(|error| {
            let first = std::iter::once(error);
            let others = std::iter::repeat_with(|| unavailable("the commit failed"));
            first.chain(others).take(count).map(Err).collect()
        })
    }

    async fn queues(&self, which: Queues, limit: u32, now: DateTime<Utc>) -> Answer<FoundQueues> {
        self.read(move |c| queues::find(c, &which, limit, now))
            .await
    }

    async fn claim(
        &self,
        queues: &[QueueClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Answer<Vec<Claimed>> {
        if queues.is_empty() {
            return Ok(Vec::new());
        }
        let queues = queues.to_vec();
        self.write_in_batch(move |c, batch| claim::claim(c, batch, &queues, lease_until, now))
            .await
    }

    async fn settle(
        &self,
        settlements: Vec<Settlement>,
        _now: DateTime<Utc>,
    ) -> Answer<Vec<Settled>> {
        if settlements.is_empty() {
            return Ok(Vec::new());
        }
        // Not on the writer's thread, for which all others wait.
        let settlements = SealedAttempt::seal_all(settlements, self.sealing())?;
        self.write_in_batch(move |c, batch| settle::all(c, batch, &settlements))
            .await
    }

    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Answer<Reclaimed> {
        self.write(move |c| reclaim::reclaim(c, limit, now)).await
    }

    async fn work_arrived(&self) -> Arrived {
        self.watch().work().await
    }
}
