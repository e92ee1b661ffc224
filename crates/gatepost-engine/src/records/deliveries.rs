//! Deliveries: sent by hand, looked at, sent again, ended.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use delivery::{Attempt, Preview, Request};
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryQuery, Enqueue, Enqueued, Lane, LaneClass,
    NewDelivery, Origin, Replay, WebhookStore,
};
use gatepost_storage::{ErrorKind, StoreError};
use webhook_model::{Message, Webhook, WebhookId};

use crate::admission::Admission;
use crate::clock::EngineClock;
use crate::error::EngineError;
use crate::render::{Example, Renderer};
use crate::routes::Route;
use crate::transport::Transport;

/// Rows queued again in one transaction.
const BITE: u32 = 500;

/// What a test of a webhook showed.
#[derive(Debug)]
#[non_exhaustive]
pub struct TestSend {
    /// The attempt that was made; not recorded in the delivery log.
    pub attempt: Attempt,
}

#[derive(Debug)]
pub(crate) struct Deliveries {
    pub store: Arc<dyn WebhookStore>,
    pub clock: Arc<EngineClock>,
    pub renderer: Arc<Renderer>,
    pub admission: Arc<Admission>,
    pub transport: Arc<dyn Transport>,
}

impl Deliveries {
    pub(crate) async fn send(
        &self,
        webhook: WebhookId,
        message: Option<&Message>,
    ) -> Result<DeliveryId, EngineError> {
        let now = self.clock.now()?;
        let new = NewDelivery {
            message_id: self.renderer.message_id(),
            webhook,
            task: None,
            body: self.renderer.by_hand(message, now)?,
            due: now,
            lease_until: None,
        };
        let batch = Enqueue {
            routes: None,
            origin: Origin::Direct,
            deliveries: vec![new],
            consume: Vec::new(),
        };
        let stored = match self.store.enqueue(batch, now).await {
            Ok(Enqueued::Stored { deliveries, .. }) => deliveries.first().map(|stored| stored.id),
            Ok(Enqueued::AlreadyKnown | Enqueued::RoutesChanged) => None,
            Err(error) if error.kind() == ErrorKind::Invalid => return Err(EngineError::NotFound),
            Err(error) => return Err(error.into()),
        };
        self.admission.lanes.ready(Lane {
            webhook,
            class: LaneClass::First,
        });
        stored.ok_or_else(|| {
            StoreError::new(ErrorKind::Unavailable, "the message was not queued").into()
        })
    }

    pub(crate) async fn send_now(
        &self,
        webhook: &Webhook,
        message: Option<&Message>,
    ) -> Result<TestSend, EngineError> {
        let now = self.clock.now()?;
        let request = self.request(webhook, message, now)?;
        let attempt = self.transport.send(&request, now).await;
        Ok(TestSend { attempt })
    }

    pub(crate) fn preview(
        &self,
        webhook: &Webhook,
        message: Option<&Message>,
    ) -> Result<Preview, EngineError> {
        let now = self.clock.now()?;
        let request = self.request(webhook, message, now)?;
        let preview = self.transport.preview(&request, now);
        preview.map_err(EngineError::Unsendable)
    }

    pub(crate) fn example(&self, message: &Message, name: &str) -> Result<Example, EngineError> {
        Ok(self.renderer.example(message, name, self.clock.now()?)?)
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.renderer.variables()
    }

    pub(crate) async fn get(&self, id: DeliveryId) -> Result<Option<Delivery>, EngineError> {
        Ok(self.store.delivery(id).await?)
    }

    pub(crate) async fn list(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>, EngineError> {
        Ok(self.store.list_deliveries(query).await?)
    }

    pub(crate) async fn attempts(&self, id: DeliveryId) -> Result<Vec<AttemptRecord>, EngineError> {
        Ok(self.store.attempts(id).await?)
    }

    pub(crate) async fn delete(&self, id: DeliveryId) -> Result<(), EngineError> {
        Ok(self.store.delete_delivery(id, self.clock.now()?).await?)
    }

    pub(crate) async fn replay(&self, which: &Replay) -> Result<u64, EngineError> {
        let mut queued = 0;
        loop {
            let now = self.clock.now()?;
            let some = match self.store.replay(which, BITE, now).await {
                Err(error) if queued > 0 => {
                    let source = Arc::new(error);
                    return Err(EngineError::Interrupted { queued, source });
                }
                some => some?,
            };
            queued += some;
            self.admission.lanes.look_now();
            if some < u64::from(BITE) {
                return Ok(queued);
            }
        }
    }

    pub(crate) async fn cancel(&self, ids: &[DeliveryId]) -> Result<u64, EngineError> {
        let now = self.clock.now()?;
        Ok(self.store.cancel(ids, "cancelled", now).await?)
    }

    fn request(
        &self,
        webhook: &Webhook,
        message: Option<&Message>,
        now: DateTime<Utc>,
    ) -> Result<Request, EngineError> {
        webhook.check()?;
        let body = self.renderer.by_hand(message, now)?;
        let id = self.renderer.message_id();
        let request = Route::unstored(webhook.clone()).request(&id, &body);
        request.map_err(EngineError::Unsendable)
    }
}
