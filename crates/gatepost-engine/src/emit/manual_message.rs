//! A message that is sent manually to one webhook, without a task or as a test.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    Cause, DeliveryId, Enqueue, Enqueued, NewDelivery, Origin, Precondition, RecordId,
    StoredDelivery, WebhookRoute,
};
use gatepost_storage::{ErrorKind, Revision, Row, StoreError};
use webhook_model::{OwnerId, TaskId, Webhook, WebhookId};

use super::emitter::Emitter;
use super::launcher::Slip;

/// A message to a webhook.
#[derive(Debug)]
pub(crate) struct ManualMessage {
    pub to: WebhookId,
    pub owner: OwnerId,
    /// The webhook as it is stored. `None`: it cannot be read, and the message waits.
    pub webhook: Option<Row<WebhookId, Webhook>>,
    pub body: Arc<str>,
    /// Whether its id marks it as a test.
    pub is_test: bool,
    /// The task that is tested, and the cause that its test names.
    pub test_of: Option<(TaskId, Cause)>,
}

impl Emitter {
    /// Stores a message, and sends it immediately if there is a permit, in a separate task as
    /// [`emit_detached`](Self::emit_detached).
    ///
    /// # Errors
    /// `Invalid` when there is no such webhook, `Unavailable`.
    pub(crate) async fn post_detached(
        self: &Arc<Self>,
        letter: ManualMessage,
    ) -> Result<DeliveryId, StoreError> {
        let emitter = self.clone();
        self.detached(async move { emitter.post(letter).await })
            .await
    }

    /// Notifies the dispatcher that deliveries of a webhook may be due.
    pub(crate) fn look_at(&self, webhook: WebhookId) {
        self.launcher.admission.inquiries.ask(webhook);
    }

    async fn post(&self, letter: ManualMessage) -> Result<DeliveryId, StoreError> {
        let now = self.core.clock.now()?;
        let (task, cause) = letter.test_of.unzip();
        let message_id = match letter.is_test {
            true => self.renderer.test_id(now),
            false => self.renderer.message_id(now),
        };
        let new = NewDelivery {
            message_id,
            webhook: letter.to,
            task,
            cause,
            body: letter.body,
            due: now,
            lease_until: None,
        };
        let (owner, bytes) = (letter.owner, new.body.len() as u64);
        let mut waits = None;
        if let Some(row) = letter.webhook {
            let webhook = WebhookRoute::of(&row);
            let place = self.core.access.stood(owner).await?;
            self.launcher.webhooks.read(row);
            let mut leased = new.clone();
            let slip = self.launcher.slip(&webhook, place, &mut leased);
            if slip.is_leased() {
                let by = (slip, webhook.revision);
                if let Some(id) = self.post_leased(leased, owner, by, now).await? {
                    return Ok(id);
                }
            } else {
                waits = webhook.active.then_some(slip);
            }
        }
        let webhook = new.webhook;
        let stored = self.store_one(new, Precondition::Nothing, now).await?;
        let stored = stored.ok_or_else(not_queued)?;
        self.core.access.stored(owner, 1, bytes);
        match waits {
            Some(slip) => self.launcher.send_or_leave(stored, slip),
            // The webhook is being changed: only the store knows whether anything may be sent.
            None => self.look_at(webhook),
        }
        Ok(stored.id)
    }

    /// Sends it by this slip. `None`: the webhook, read at this revision, has been changed.
    async fn post_leased(
        &self,
        new: NewDelivery,
        owner: OwnerId,
        (slip, revision): (Slip, Revision),
        now: DateTime<Utc>,
    ) -> Result<Option<DeliveryId>, StoreError> {
        let (precondition, bytes) = (
            Precondition::Rows(vec![(RecordId::Webhook(new.webhook), revision)]),
            new.body.len() as u64,
        );
        let Some(stored) = self.store_one(new, precondition, now).await? else {
            return Ok(None);
        };
        self.core.access.stored(owner, 1, bytes);
        self.launcher.send_or_leave(stored, slip);
        Ok(Some(stored.id))
    }

    /// Stores it. `None`: the precondition does not hold any more.
    async fn store_one(
        &self,
        new: NewDelivery,
        precondition: Precondition,
        now: DateTime<Utc>,
    ) -> Result<Option<StoredDelivery>, StoreError> {
        let batch = Enqueue {
            precondition,
            deliveries: vec![new],
            ..Enqueue::later(Origin::Direct, Vec::new())
        };
        Ok(match self.core.store.enqueue(batch, now).await? {
            Enqueued::Stored { deliveries, .. } => deliveries.first().copied(),
            Enqueued::AlreadyKnown | Enqueued::RoutesChanged | Enqueued::RowsChanged(_) => None,
        })
    }
}

fn not_queued() -> StoreError {
    StoreError::new(ErrorKind::Unavailable, "the message was not queued")
}
