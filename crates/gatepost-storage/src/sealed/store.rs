//! The store in front, and its queue.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::content::Content;
use crate::error::StoreError;
use crate::seal::SealingKeys;
use crate::webhooks::{
    Arrived, AttemptRecord, Claim, Claimed, Delivery, DeliveryId, Disposition, Enqueue, Enqueued,
    FoundQueues, LaneClaim, OutboxRow, QueueStore, Queues, Reclaimed, Settled, Settlement,
};

/// How a delivery ends whose message cannot be opened.
const UNREADABLE: &str = "the stored message cannot be opened";

/// A webhook store whose delivery log keeps message bodies and responses sealed (heads and bodies),
/// for platforms that ask for it, and the data of occurrences: in the outbox, and what deliveries
/// keep of them.
/// Everything else goes to the store behind it as it is: messages of tasks, the variables of
/// occurrences and what the platform itself wrote into the outbox are not sealed, nor is how an
/// attempt ended.
///
/// What was stored before opens as it is; an older key among the keys opens what it sealed. A
/// message or response that no key opens is listed as not kept; a delivery with such a message ends
/// as failed when it is claimed, and can be replayed once the key is there.
///
/// Each message is bound to its message id and each response to its delivery, so neither opens in
/// another's row. A sealed message takes a third more room, and counts so against limits of bytes.
///
/// **Keep it in front of a store that it has written to**: without it, sealed messages that still
/// wait would be sent as they are stored. To stop sealing, give `SealingKeys::none()` with the last
/// key as an old one.
///
/// ```
/// use std::sync::Arc;
/// use gatepost_storage::seal::{SealingKey, SealingKeys};
/// use gatepost_kv::MemoryStore;
/// use gatepost_storage::SealedMessages;
///
/// let keys = SealingKeys::new(SealingKey::new(1, [7; 32]));
/// let store = SealedMessages::new(Arc::new(MemoryStore::new()), keys);
/// ```
pub struct SealedMessages<S> {
    pub(super) inner: Arc<S>,
    content: Content,
}

impl<S> SealedMessages<S> {
    /// Seals in front of `inner` under the current one of `keys`.
    #[must_use]
    pub fn new(inner: Arc<S>, keys: SealingKeys) -> Self {
        Self {
            inner,
            content: Content::new(keys),
        }
    }

    fn seal(&self, mut batch: Enqueue) -> Result<Enqueue, StoreError> {
        for delivery in &mut batch.deliveries {
            delivery.body = self
                .content
                .seal_message(&delivery.body, &delivery.message_id)?;
            self.content
                .seal_excerpt(&mut delivery.cause, &delivery.message_id)?;
        }
        for row in &mut batch.later {
            self.content.seal_data(&mut row.occurrence)?;
        }
        Ok(batch)
    }

    /// A row whose data cannot be opened cannot be used.
    pub(super) fn opened(&self, mut row: OutboxRow) -> OutboxRow {
        row.occurrence = row.occurrence.and_then(|o| self.content.open_data(o));
        row
    }

    /// As it is shown: without its message if that cannot be opened.
    pub(super) fn shown(&self, mut delivery: Delivery) -> Delivery {
        match self
            .content
            .open_message(&delivery.body, &delivery.message_id)
        {
            Ok(body) => delivery.body = body,
            Err(_) => (delivery.body, delivery.message_kept) = ("".into(), false),
        }
        self.open_cause(&mut delivery);
        delivery
    }

    fn open_cause(&self, delivery: &mut Delivery) {
        let Delivery {
            cause, message_id, ..
        } = delivery;
        self.content.open_excerpt(cause, message_id);
    }

    /// As they are shown: without what cannot be opened.
    pub(super) fn shown_attempts(
        &self,
        mut attempts: Vec<AttemptRecord>,
        of: DeliveryId,
    ) -> Vec<AttemptRecord> {
        for attempt in &mut attempts {
            self.content.open_attempt(attempt, of);
        }
        attempts
    }
}

impl<S: QueueStore> SealedMessages<S> {
    /// Ends what was claimed and cannot be opened; nothing is sent of it. Should the store fail,
    /// its lease ends, and it is claimed again; what was claimed beside it is not held up.
    async fn end_unreadable(&self, claims: Vec<Claim>, now: DateTime<Utc>) {
        if claims.is_empty() {
            return;
        }
        let failed = |claim| Settlement {
            claim,
            disposition: Disposition::Failed,
            status_info: UNREADABLE.to_owned(),
            attempt: None,
            keep_message: true,
        };
        let settlements = claims.into_iter().map(failed).collect();
        drop(self.inner.settle(settlements, now).await);
    }
}

#[async_trait]
impl<S: QueueStore> QueueStore for SealedMessages<S> {
    async fn enqueue_all(
        &self,
        batches: Vec<Enqueue>,
        now: DateTime<Utc>,
    ) -> Vec<Result<Enqueued, StoreError>> {
        let sealed = batches.into_iter().map(|batch| self.seal(batch));
        let mut good = Vec::new();
        let failures: Vec<Option<StoreError>> = sealed
            .map(|sealed| sealed.map(|batch| good.push(batch)).err())
            .collect();
        let mut stored = self.inner.enqueue_all(good, now).await.into_iter();
        let missing = || Err(StoreError::corrupt("enqueue_all", "too few results"));
        let result = |failure: Option<StoreError>| match failure {
            Some(error) => Err(error),
            None => stored.next().unwrap_or_else(missing),
        };
        failures.into_iter().map(result).collect()
    }

    async fn queues(
        &self,
        which: Queues,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<FoundQueues, StoreError> {
        self.inner.queues(which, limit, now).await
    }

    async fn claim(
        &self,
        lanes: &[LaneClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Claimed>, StoreError> {
        let (mut claimed, mut unreadable) = (Vec::new(), Vec::new());
        for mut one in self.inner.claim(lanes, lease_until, now).await? {
            let sealed = &one.delivery;
            match self.content.open_message(&sealed.body, &sealed.message_id) {
                Ok(body) => {
                    one.delivery.body = body;
                    self.open_cause(&mut one.delivery);
                    claimed.push(one);
                }
                Err(_) => unreadable.push(Claim {
                    delivery: one.delivery.id,
                    token: one.token,
                }),
            }
        }
        self.end_unreadable(unreadable, now).await;
        Ok(claimed)
    }

    async fn settle(
        &self,
        mut settlements: Vec<Settlement>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Settled>, StoreError> {
        for settlement in &mut settlements {
            if let Some(attempt) = &mut settlement.attempt {
                self.content
                    .seal_attempt(attempt, settlement.claim.delivery)?;
            }
        }
        self.inner.settle(settlements, now).await
    }

    /// An attempt that was fetched has nothing to seal.
    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Result<Reclaimed, StoreError> {
        self.inner.reclaim(limit, now).await
    }

    async fn work_arrived(&self) -> Arrived {
        self.inner.work_arrived().await
    }
}

impl<S: fmt::Debug> fmt::Debug for SealedMessages<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SealedMessages").field(&self.inner).finish()
    }
}
