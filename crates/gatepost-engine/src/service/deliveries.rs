//! Deliveries: sent by hand, looked at, sent again, ended.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use delivery::{Attempt, Preview};
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryQuery, Enqueue, Enqueued, Lane, LaneClass,
    NewDelivery, Origin, Replay,
};
use gatepost_storage::{ErrorKind, StoreError};
use webhook_model::{Message, Template, Values, Webhook, WebhookId, format_date};

use crate::engine::Engine;
use crate::error::{EmitError, EngineError};
use crate::routes::Route;
use crate::work;

/// Rows queued again in one transaction.
const BITE: u32 = 500;

/// What a test of a webhook showed.
#[derive(Debug)]
#[non_exhaustive]
pub struct TestSend {
    /// The attempt that was made; not recorded in the delivery log.
    pub attempt: Attempt,
}

impl Engine {
    /// Queues a message by hand; without one, the default payload. Variables are filled in.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], [`EmitError::Message`] when it grows too large, failures of the
    /// store.
    pub async fn send(
        &self,
        webhook: WebhookId,
        message: Option<&Message>,
    ) -> Result<DeliveryId, EngineError> {
        let inner = &self.inner;
        let now = inner.now();
        let body = self.rendered(message, now)?;
        let new = NewDelivery {
            message_id: inner.random.message_id(),
            webhook,
            task: None,
            body,
            due: now,
            lease_until: None,
        };
        let batch = Enqueue {
            routes: None,
            source: Origin::Direct,
            deliveries: vec![new],
            consume: Vec::new(),
        };
        let stored = match inner.store.enqueue(batch, now).await {
            Ok(Enqueued::Stored { deliveries, .. }) => deliveries.first().map(|stored| stored.id),
            Ok(Enqueued::AlreadyKnown | Enqueued::RoutesChanged) => None,
            Err(error) if error.kind() == ErrorKind::Invalid => return Err(EngineError::NotFound),
            Err(error) => return Err(error.into()),
        };
        inner.lanes.ready(Lane {
            webhook,
            class: LaneClass::First,
        });
        stored.ok_or_else(|| {
            StoreError::new(ErrorKind::Unavailable, "the message was not queued").into()
        })
    }

    /// Sends a message at once, past the queue, and waits for the answer: what a form shows under
    /// "send test". The webhook need not be stored.
    ///
    /// # Errors
    /// [`EmitError::Message`], [`EngineError::Invalid`], [`EngineError::Unsendable`] for a webhook
    /// that no request can be made of. A target that policy refuses is an attempt with that
    /// outcome.
    pub async fn send_now(
        &self,
        webhook: &Webhook,
        message: Option<&Message>,
    ) -> Result<TestSend, EngineError> {
        let now = self.inner.now();
        let request = self.request(webhook, message, now)?;
        Ok(TestSend {
            attempt: self.inner.sender.send(&request, now).await,
        })
    }

    /// The exact bytes that would be sent, and what the target policy says, without sending
    /// anything. Holds the webhook's secrets in clear.
    ///
    /// # Errors
    /// As [`send_now`](Self::send_now).
    pub fn preview(
        &self,
        webhook: &Webhook,
        message: Option<&Message>,
    ) -> Result<Preview, EngineError> {
        let now = self.inner.now();
        let request = self.request(webhook, message, now)?;
        self.inner
            .sender
            .preview(&request, now)
            .map_err(EngineError::Unsendable)
    }

    fn request(
        &self,
        webhook: &Webhook,
        message: Option<&Message>,
        now: DateTime<Utc>,
    ) -> Result<delivery::Request, EngineError> {
        webhook.check()?;
        let body = self.rendered(message, now)?;
        let route = Route::unstored(webhook.clone());
        let id = self.inner.random.message_id();
        work::request(&route, &id, &body).map_err(EngineError::Unsendable)
    }

    fn rendered(
        &self,
        message: Option<&Message>,
        now: DateTime<Utc>,
    ) -> Result<Arc<str>, EmitError> {
        let message = message.cloned().unwrap_or_default();
        let date = format_date(now, self.inner.zone);
        let extra: Vec<(&str, &str)> = self
            .inner
            .variables
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let values = Values {
            date: &date,
            timestamp: now.timestamp(),
            name: "",
            extra: &extra,
        };
        let random = || self.inner.random.with(rand::Rng::next_u32);
        Template::parse(&message)
            .render(&values, random)
            .map(Into::into)
            .map_err(EmitError::Message)
    }

    /// A delivery.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, EngineError> {
        Ok(self.inner.store.delivery(id).await?)
    }

    /// One page of deliveries.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_deliveries(
        &self,
        query: &DeliveryQuery,
    ) -> Result<Vec<Delivery>, EngineError> {
        Ok(self.inner.store.list_deliveries(query).await?)
    }

    /// The attempts of a delivery, oldest first.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn attempts(&self, id: DeliveryId) -> Result<Vec<AttemptRecord>, EngineError> {
        Ok(self.inner.store.attempts(id).await?)
    }

    /// Deletes a delivery from the log, and from the queue if it still waits.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], failures of the store.
    pub async fn delete_delivery(&self, id: DeliveryId) -> Result<(), EngineError> {
        Ok(self
            .inner
            .store
            .delete_delivery(id, self.inner.now())
            .await?)
    }

    /// Sends deliveries again that have ended: same bytes, same id. Answers how many were queued.
    ///
    /// # Errors
    /// Failures of the store; some may have been queued.
    pub async fn replay(&self, which: &Replay) -> Result<u64, EngineError> {
        let mut queued = 0;
        loop {
            let some = self
                .inner
                .store
                .replay(which, BITE, self.inner.now())
                .await?;
            queued += some;
            self.inner.lanes.look_now();
            if some < u64::from(BITE) {
                return Ok(queued);
            }
        }
    }

    /// Ends deliveries that still wait. Answers how many.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn cancel(&self, ids: &[DeliveryId]) -> Result<u64, EngineError> {
        Ok(self
            .inner
            .store
            .cancel(ids, "cancelled", self.inner.now())
            .await?)
    }
}
