//! The durable queue.

mod claim;
mod queues;
mod reclaim;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    Arrived, Claimed, Disposition, Enqueue, Enqueued, FoundQueues, QueueClaim, QueueClass,
    QueueStore, Queues, Reclaimed, Settled, Settlement, WebhookQueue,
};

use crate::error::Answer;
use crate::store::PostgresStore;

#[async_trait]
impl QueueStore for PostgresStore {
    async fn enqueue_all(
        &self,
        batches: Vec<Enqueue>,
        now: DateTime<Utc>,
    ) -> Vec<Answer<Enqueued>> {
        let news: Vec<News> = batches.iter().map(News::of).collect();
        let answers = self.enqueue_in_order(batches, now).await;
        let answers = news.into_iter().zip(answers).map(|(news, answer)| {
            let answer = answer?;
            self.tell(news, &answer);
            Ok(answer)
        });
        answers.collect()
    }

    async fn queues(&self, which: Queues, limit: u32, now: DateTime<Utc>) -> Answer<FoundQueues> {
        Ok(self.find_queues(&which, limit, now).await?)
    }

    async fn claim(
        &self,
        queues: &[QueueClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Answer<Vec<Claimed>> {
        Ok(self.claim_queues(queues, lease_until, now).await?)
    }

    async fn settle(
        &self,
        settlements: Vec<Settlement>,
        _now: DateTime<Utc>,
    ) -> Answer<Vec<Settled>> {
        if settlements.is_empty() {
            return Ok(Vec::new());
        }
        let released = |s: &Settlement| matches!(s.disposition, Disposition::Release { .. });
        let leaves_work = settlements.iter().any(released);
        let again = settlements.iter();
        let again = again.filter_map(|s| s.disposition.state_and_due().1).min();
        let settled = self.settle_batched(settlements).await?;
        if let Some(due) = again {
            self.fronts().queued_somewhere(due);
        }
        if leaves_work {
            self.notifier().due();
        }
        Ok(settled)
    }

    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Answer<Reclaimed> {
        Ok(self.reclaim_ended(limit, now).await?)
    }

    async fn work_arrived(&self) -> Arrived {
        let arrived = self.node().ear().work().await;
        if let Arrived::Queues(queues) = &arrived {
            self.fronts().heard(queues);
        }
        arrived
    }
}

/// The notifications to other processes after an enqueue is stored.
struct News {
    waits: Vec<(WebhookQueue, DateTime<Utc>)>,
    outbox: bool,
}

impl News {
    fn of(batch: &Enqueue) -> Self {
        let waits = batch.deliveries.iter().filter(|d| d.lease_until.is_none());
        let queue = |webhook| WebhookQueue {
            webhook,
            class: QueueClass::First,
        };
        let waits = waits.map(|new| (queue(new.webhook), new.due));
        Self {
            waits: waits.collect(),
            outbox: !batch.later.is_empty(),
        }
    }
}

impl PostgresStore {
    fn tell(&self, news: News, answer: &Enqueued) {
        if matches!(answer, Enqueued::Stored { .. }) {
            self.fronts().queued(news.waits.iter().copied());
            self.notifier()
                .queues_to_others(news.waits.into_iter().map(|(queue, _)| queue));
            if news.outbox {
                self.notifier().outbox();
            }
        }
    }
}
