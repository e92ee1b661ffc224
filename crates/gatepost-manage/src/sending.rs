//! Sending on request: a message, a test, and failed deliveries.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{DeliveryId, DeliveryState, RecordId};
use webhook_model::{Message, WebhookId};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::completion::Answer;
use crate::replayable::Replayable;
use crate::subject::Subject;
use crate::tables::WEBHOOKS;

impl Actor {
    /// Queues a message; without one, the default payload.
    ///
    /// # Errors
    /// [`NotFound`](crate::ManageError::NotFound), [`Message`](crate::ManageError::Message),
    /// [`TooFast`](crate::ManageError::TooFast), failures of store and accounts.
    pub fn send(&self, id: WebhookId, message: Option<Message>) -> Answer<'_, DeliveryId> {
        self.change(WEBHOOKS, Operation::Send, move |actor| async move {
            let owner = actor.own_record(RecordId::Webhook(id)).await?;
            let sent = actor.engine().send(id, message.as_ref()).await;
            let sent = sent.map_err(actor.about(owner))?;
            Ok((actor.webhook_subject(id, owner).await, sent))
        })
    }

    /// Queues a message as a test of a webhook, under an id that marks it as a test. `${NAME}`
    /// becomes `name`.
    ///
    /// # Errors
    /// As [`send`](Self::send), and [`Unreadable`](crate::ManageError::Unreadable).
    pub fn send_test(
        &self,
        id: WebhookId,
        message: Option<Message>,
        name: String,
    ) -> Answer<'_, DeliveryId> {
        self.change(WEBHOOKS, Operation::SendTest, move |actor| async move {
            let row = actor.own_webhook(id).await?;
            let sent = actor.engine().test_webhook(id, message.as_ref(), &name);
            let sent = sent.await.map_err(actor.about(row.owner))?;
            Ok((Subject::new(id, row.owner, row.value.name.as_str()), sent))
        })
    }

    /// Queues the oldest 1,000 failed deliveries of a webhook again that were created at or after
    /// `from` and before `before`: the same bytes under the same ids. Returns their number: less
    /// than there are if the owner has reached the limit of waiting deliveries.
    ///
    /// # Errors
    /// As [`replay_some`](Self::replay_some).
    pub fn replay_failed(
        &self,
        id: WebhookId,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Answer<'_, u64> {
        let mut failed = Replayable::new(id, from, before);
        failed.states = vec![DeliveryState::Error];
        self.replay_some(failed)
    }
}
