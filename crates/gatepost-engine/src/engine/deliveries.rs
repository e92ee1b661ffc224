//! Deliveries and messages.

use chrono::{DateTime, Utc};
use delivery::Preview;
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryQuery, HourlyCount, Replay,
};
use webhook_model::{Message, Webhook, WebhookId};

use super::handle::Engine;
use crate::error::EngineError;
use crate::records::deliveries::TestSend;
use crate::records::fetching::FetchedPage;
use crate::records::holdup::Holdup;
use crate::records::run_about::RunAbout;
use crate::render::Example;

impl Engine {
    /// What became of the deliveries of a scope's webhooks, or of one of them, in the hours from
    /// `from` until before `before`: newest hour first, then by webhook, at most `limit`. Kept
    /// longer than deliveries ([`Retention::counts`](crate::Retention::counts)).
    ///
    /// What ends an attempt is counted about two seconds later; a process that dies loses what it
    /// counted in that time. What ends without one, because it was cancelled, was held too long or
    /// lost its sender three times, counts as failed as it ends. Not counted is what ends because
    /// its owner moved: the figures go with the webhook to a place where nobody sees that delivery.
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
        let store = &self.0.records.deliveries.store;
        let counts = store.hourly_counts(scope, webhook, from, before, limit);
        Ok(counts.await?)
    }

    /// The counters of these webhooks, each summed up over the hours from `from` until before
    /// `before`, in the order of the request; those of which nothing was counted are left out.
    /// `hour` is the newest in which something was counted. See
    /// [`hourly_counts`](Self::hourly_counts).
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn summed_counts(
        &self,
        webhooks: &[WebhookId],
        from: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<Vec<HourlyCount>, EngineError> {
        let store = &self.0.records.deliveries.store;
        Ok(store.summed_counts(webhooks, from, before).await?)
    }

    /// Queues a message by hand; without one, the default payload. Variables are filled in. It is
    /// sent at once if there is room, as what comes of an emit.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], [`EmitError::Message`](crate::EmitError::Message) when it grows
    /// too large, [`EngineError::Forbidden`] when the owner's account is disabled,
    /// [`EngineError::Full`] when as many deliveries of the owner wait as may,
    /// [`EngineError::TooFast`], [`EngineError::Platform`], failures of the store.
    pub async fn send(
        &self,
        webhook: WebhookId,
        message: Option<&Message>,
    ) -> Result<DeliveryId, EngineError> {
        self.0.records.deliveries.send(webhook, message).await
    }

    /// Sends a message at once, past the queue, and waits for the response: what a form shows under
    /// "send test". `${NAME}` becomes `name`. The webhook need not be stored. Four of an owner are
    /// under way at a time, and 64 in all.
    ///
    /// # Errors
    /// [`EmitError::Message`](crate::EmitError::Message), [`EngineError::Invalid`],
    /// [`EngineError::Unsendable`] for a webhook that no request can be made of;
    /// [`EngineError::Forbidden`], [`EngineError::TooFast`] and [`EngineError::Platform`] as for
    /// [`send`](Self::send). [`EngineError::Forbidden`] where messages are fetched, too: nothing is
    /// sent to that URL. A target that policy refuses is an attempt with that outcome.
    pub async fn send_now(
        &self,
        webhook: &Webhook,
        message: Option<&Message>,
        name: &str,
    ) -> Result<TestSend, EngineError> {
        let deliveries = &self.0.records.deliveries;
        deliveries.send_now(webhook, message, name).await
    }

    /// The messages that wait for the receiver of a webhook that is fetched
    /// ([`DeliveryMode::Fetch`](webhook_model::DeliveryMode)), the oldest first: at most
    /// `limit` of them, of 100, and no more than fit into about 1 MiB.
    ///
    /// `after` is the cursor of an earlier page: what that page had is acknowledged first, and is
    /// then `sent`. The same cursor again acknowledges nothing more, and hands the same messages
    /// out again, until the cursor that came with them is shown: each message is received at least
    /// once. Without a cursor nothing is acknowledged. Of a webhook in order nothing is handed out
    /// past what is being sent, because it was not fetched a moment ago. A paused or disabled one
    /// hands nothing out, and takes acknowledgements.
    ///
    /// Only what the page had is acknowledged, not what came before it: another process may have
    /// stored a message with a smaller row number since, or it was replayed.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::Invalid`] when it is not fetched, and for what is
    /// no cursor of this webhook, which acknowledges nothing; [`EngineError::Forbidden`] when the
    /// owner's account is disabled; [`EngineError::Unsendable`] when its signing secrets cannot be
    /// used; [`EngineError::Platform`], failures of the store.
    pub async fn fetch(
        &self,
        webhook: WebhookId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<FetchedPage, EngineError> {
        self.0.records.deliveries.fetch(webhook, after, limit).await
    }

    /// The exact bytes that would be sent, and what the target policy says, without sending
    /// anything. Holds the webhook's secrets in plaintext.
    ///
    /// # Errors
    /// As [`send_now`](Self::send_now).
    pub fn preview(
        &self,
        webhook: &Webhook,
        message: Option<&Message>,
    ) -> Result<Preview, EngineError> {
        self.0.records.deliveries.preview(webhook, message)
    }

    /// Fills a message in as [`test_task`](Self::test_task) does: for this, with the platform's own
    /// variables and zone. Nothing is sent. A message of 1 MiB takes some hundredths of a second:
    /// call it where no other task waits.
    ///
    /// # Errors
    /// [`EmitError::Message`](crate::EmitError::Message) when it grows too large.
    pub fn example(&self, message: &Message, about: &RunAbout) -> Result<Example, EngineError> {
        self.0.records.deliveries.example(message, about)
    }

    /// The variables that the platform added, with their values.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.records.deliveries.variables()
    }

    /// A delivery.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, EngineError> {
        self.0.records.deliveries.get(id).await
    }

    /// One page of deliveries.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_deliveries(
        &self,
        query: &DeliveryQuery,
    ) -> Result<Vec<Delivery>, EngineError> {
        self.0.records.deliveries.list(query).await
    }

    /// The last attempts of a delivery, at most this many, oldest first. Replays add more without
    /// end, each with a response.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn attempts(
        &self,
        id: DeliveryId,
        last: u32,
    ) -> Result<Vec<AttemptRecord>, EngineError> {
        self.0.records.deliveries.attempts(id, last).await
    }

    /// Deletes a delivery from the log, and from the queue if it still waits.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], failures of the store.
    pub async fn delete_delivery(&self, id: DeliveryId) -> Result<(), EngineError> {
        self.0.records.deliveries.delete(id).await
    }

    /// Sends deliveries again that have ended: same bytes, same id. Those whose message was not
    /// kept are passed over. Returns how many were queued: fewer than there are when the owner
    /// may not have more queued at this moment.
    ///
    /// # Errors
    /// When none were queued: [`EngineError::TooFast`], [`EngineError::Full`], and
    /// [`EngineError::Forbidden`] when the owner's account is disabled. Failures of the store;
    /// [`EngineError::Interrupted`] if some had been queued by then.
    pub async fn replay(&self, which: &Replay) -> Result<u64, EngineError> {
        self.0.records.replays.replay(which).await
    }

    /// Deliveries that wait for later are due now: those that are retried need not wait for their
    /// time. Returns how many.
    ///
    /// # Errors
    /// [`EngineError::TooFast`], failures of the store.
    pub async fn hasten(&self, ids: &[DeliveryId]) -> Result<u64, EngineError> {
        self.0.records.replays.hasten(ids).await
    }

    /// Why a delivery that is queued still waits; `None` when nothing but its time is in its way,
    /// or it does not wait. `webhook` is its webhook.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn holdup(
        &self,
        delivery: &Delivery,
        webhook: &Webhook,
    ) -> Result<Option<Holdup>, EngineError> {
        let deliveries = &self.0.records.deliveries;
        deliveries.holdup(delivery, webhook).await
    }

    /// Ends deliveries that still wait. Returns how many.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn cancel(&self, ids: &[DeliveryId]) -> Result<u64, EngineError> {
        self.0.records.deliveries.cancel(ids).await
    }
}
