//! The sealing wrapper and its queue methods.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::content::Content;
use crate::error::StoreError;
use crate::seal::SealingKeys;
use crate::webhooks::{
    Arrived, AttemptRecord, Claim, Claimed, Delivery, DeliveryId, Disposition, Enqueue, Enqueued,
    FoundQueues, OutboxRow, QueueClaim, QueueStore, Queues, Reclaimed, Settled, Settlement,
};

/// The status of a delivery that ended because its message cannot be opened.
const UNREADABLE: &str = "the stored message cannot be opened";

/// A wrapper around a webhook store that seals the following, for platforms that require it:
/// message bodies and responses (heads and bodies) in the delivery log, and the data of
/// occurrences, in the outbox and in the excerpts that deliveries keep. Everything else is
/// forwarded to the inner store unchanged: messages of tasks, the variables of occurrences, rows
/// that the platform itself wrote into the outbox, and the outcomes of attempts are not sealed.
///
/// Values that were stored before sealing was turned on are read unchanged. An older key among the
/// keys opens the values that it sealed. A message or response that no key opens is listed as not
/// kept; a delivery with such a message ends as failed when it is claimed, and can be replayed once
/// the key is available.
///
/// Each message is bound to its message id and each response to its delivery, so neither opens in
/// another row. A sealed message takes a third more space, and counts as such against limits of
/// bytes.
///
/// **Do not remove the wrapper from a store that it has written to**: without it, sealed messages
/// that still wait would be sent as they are stored. To stop sealing, pass `SealingKeys::none()`
/// with the last key as an old one.
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
    /// Wraps `inner` and seals under the current key of `keys`.
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

    /// Opens a row. A row whose data cannot be opened cannot be used.
    pub(super) fn opened(&self, mut row: OutboxRow) -> OutboxRow {
        row.occurrence = row.occurrence.and_then(|o| self.content.open_data(o));
        row
    }

    /// Opens a delivery for display, without its message if that cannot be opened.
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

    /// Opens attempts for display, without the parts that cannot be opened.
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
    /// Ends claimed deliveries whose messages cannot be opened; they are not sent. If the store
    /// fails, their leases expire and they are claimed again; deliveries of the same claim are not
    /// delayed.
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
        queues: &[QueueClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Claimed>, StoreError> {
        let (mut claimed, mut unreadable) = (Vec::new(), Vec::new());
        for mut one in self.inner.claim(queues, lease_until, now).await? {
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

    /// An attempt for a fetched delivery has nothing to seal.
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
