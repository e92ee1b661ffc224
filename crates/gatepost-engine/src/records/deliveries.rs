//! The log of deliveries: reading, counting and ending them.

use chrono::{DateTime, Utc};
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{
    AttemptRecord, ChangedDelivery, Delivery, DeliveryId, DeliveryQuery, HourlyCount, IfWaiting,
    WaitingChange,
};
use webhook_model::WebhookId;

use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Returns the outcomes of the deliveries of a scope's webhooks, or of one of them, in the
    /// hours from `from` until before `before`: newest hour first, then by webhook, at most
    /// `limit`. Kept longer than deliveries ([`Retention::counts`](crate::Retention::counts)).
    ///
    /// An attempt is counted about two seconds after it ends; a process that dies loses the counts
    /// of that time. A delivery that ends without an attempt, because it was cancelled, was held
    /// too long or lost its sender three times, is counted as failed immediately. Deliveries that
    /// end because their owner moved are not counted: the metrics follow the webhook to a realm
    /// where nobody sees that delivery.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn hourly_counts(
        &self,
        scope: Scope,
        webhook: Option<WebhookId>,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<HourlyCount>, EngineError> {
        let store = &self.core.store;
        let counts = store.hourly_counts(scope, webhook, from, before, limit);
        Ok(counts.await?)
    }

    /// Returns the counters of these webhooks, each summed up over the hours from `from` until
    /// before `before`, in the order of the request; webhooks without counts are left out. `hour`
    /// is the newest with a count. See [`hourly_counts`](Self::hourly_counts).
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn summed_counts(
        &self,
        webhooks: &[WebhookId],
        from: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<Vec<HourlyCount>, EngineError> {
        let store = &self.core.store;
        Ok(store.summed_counts(webhooks, from, before).await?)
    }

    /// Returns a delivery.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, EngineError> {
        Ok(self.core.store.delivery(id).await?)
    }

    /// Returns one page of deliveries.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_deliveries(
        &self,
        query: &DeliveryQuery,
    ) -> Result<Vec<Delivery>, EngineError> {
        Ok(self.core.store.list_deliveries(query).await?)
    }

    /// Returns the last attempts of a delivery, at most this many, oldest first. Replays can add
    /// any number of attempts, each with a response.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn attempts(
        &self,
        id: DeliveryId,
        last: u32,
    ) -> Result<Vec<AttemptRecord>, EngineError> {
        Ok(self.core.store.attempts(id, last).await?)
    }

    /// Deletes a delivery from the log, and from the queue if it is pending.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], failures of the store.
    pub async fn delete_delivery(&self, id: DeliveryId) -> Result<(), EngineError> {
        let now = self.core.clock.now()?;
        let delivery = self.core.store.delivery(id).await?;
        self.core.store.delete_delivery(id, now).await?;
        if let Some(delivery) = delivery.filter(|delivery| !delivery.state.is_final()) {
            let bytes = delivery.body.len() as u64;
            self.core.access.ended(delivery.owner, bytes, 0);
            self.parts.emitter.look_at(delivery.webhook);
        }
        Ok(())
    }

    /// Cancels pending deliveries. Returns their number.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn cancel(&self, ids: &[DeliveryId]) -> Result<u64, EngineError> {
        let deliveries = ids.iter().copied().map(IfWaiting::any).collect();
        let cancelled = WaitingChange::Cancelled {
            reason: "cancelled".to_owned(),
        };
        let ended = self.end(deliveries, cancelled).await?;
        for ended in &ended {
            // A webhook in order may now send its next delivery.
            self.parts.emitter.look_at(ended.webhook);
        }
        Ok(ended.len() as u64)
    }

    /// Cancels those of these deliveries that are pending, and returns them.
    pub(super) async fn end(
        &self,
        deliveries: Vec<IfWaiting>,
        how: WaitingChange,
    ) -> Result<Vec<ChangedDelivery>, EngineError> {
        let now = self.core.clock.now()?;
        let log_bytes = match how {
            WaitingChange::Fetched { .. } => AttemptRecord::fetched(now).kept_bytes(),
            _ => 0,
        };
        let ended = self.core.store.change_waiting(deliveries, how, now).await?;
        for ended in &ended {
            self.core.access.ended(ended.owner, ended.bytes, log_bytes);
        }
        Ok(ended)
    }
}
