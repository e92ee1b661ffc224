//! Sending on request: a message, a test, and failed deliveries.

use chrono::{DateTime, Utc};
use gatepost_engine::{EngineError, Replay};
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{DeliveryId, RecordId};
use webhook_model::{Message, WebhookId};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::error::ManageError;
use crate::subject::Subject;
use crate::tables::WEBHOOKS;

impl Actor {
    /// Queues a message; without one, the default payload.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Message`], [`ManageError::TooFast`], failures of
    /// store and accounts.
    pub async fn send(
        &self,
        id: WebhookId,
        message: Option<Message>,
    ) -> Result<DeliveryId, ManageError> {
        self.change(WEBHOOKS, Operation::Send, move |actor| async move {
            let owner = actor.own_record(RecordId::Webhook(id)).await?;
            let sent = actor.engine().send(id, message.as_ref()).await;
            let sent = sent.map_err(actor.about(owner))?;
            Ok((actor.webhook_subject(id, owner).await, sent))
        })
        .await
    }

    /// Queues a message as a test of a webhook, under an id that marks it as a test. `${NAME}`
    /// becomes `name`.
    ///
    /// # Errors
    /// As [`send`](Self::send), and [`ManageError::Unreadable`].
    pub async fn send_test(
        &self,
        id: WebhookId,
        message: Option<Message>,
        name: String,
    ) -> Result<DeliveryId, ManageError> {
        self.change(WEBHOOKS, Operation::SendTest, move |actor| async move {
            let row = actor.own_webhook(id).await?;
            let sent = actor.engine().test_webhook(id, message.as_ref(), &name);
            let sent = sent.await.map_err(actor.about(row.owner))?;
            Ok((Subject::new(id, row.owner, row.value.name.as_str()), sent))
        })
        .await
    }

    /// Queues the failed deliveries of a webhook again that were created at or after `from` and
    /// before `before`: the same bytes under the same ids. Returns their number: less than there
    /// are if the owner has reached the limit of waiting deliveries.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::TooFast`], failures of store and accounts;
    /// [`ManageError::Interrupted`] if some had been queued by then.
    pub async fn replay_failed(
        &self,
        id: WebhookId,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<u64, ManageError> {
        self.change(WEBHOOKS, Operation::Replay, move |actor| async move {
            let owner = actor.own_record(RecordId::Webhook(id)).await?;
            let scope = match actor.authority().scope() {
                // An administrator may not replay deliveries that the owner had made before joining
                // the tenant.
                scope @ Scope::Tenant(_) if !actor.is(owner) => scope,
                _ => Scope::All,
            };
            let failed = Replay::Failed {
                webhook: id,
                from,
                before,
            };
            let queued = match actor.engine().replay_in(scope, &failed).await {
                // A part succeeded, so there is something to record.
                Err(error @ EngineError::Interrupted { .. }) => Err(error.into()),
                queued => Ok(queued?),
            };
            Ok((actor.webhook_subject(id, owner).await, queued))
        })
        .await?
    }
}
