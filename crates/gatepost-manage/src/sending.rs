//! What a webhook sends on request: a message, a test, what failed before.

use chrono::{DateTime, Utc};
use gatepost_engine::{EngineError, TestSend};
use gatepost_keys::TenantId;
use gatepost_storage::webhooks::{DeliveryId, DeliveryQuery, DeliveryState, RecordId, Replay};
use gatepost_storage::{Bodies, Page, Scope};
use webhook_model::{Message, WebhookId};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::error::ManageError;
use crate::subject::Subject;
use crate::tables::WEBHOOKS;

/// Deliveries that are replayed in one call.
const AT_ONCE: u32 = 500;

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

    /// Sends a message at once, past the queue and the delivery log, and waits for the target's
    /// response: to test a webhook. `${NAME}` becomes `name`.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`], [`ManageError::Message`],
    /// [`ManageError::Unsendable`], [`ManageError::TooFast`], failures of store and accounts. A
    /// target that refuses or fails is an attempt with that outcome.
    pub async fn send_test(
        &self,
        id: WebhookId,
        message: Option<Message>,
        name: String,
    ) -> Result<TestSend, ManageError> {
        self.change(WEBHOOKS, Operation::SendTest, move |actor| async move {
            let row = actor.own_webhook(id).await?;
            let webhook = row.value;
            let sent = actor.engine().send_now(&webhook, message.as_ref(), &name);
            let sent = sent.await?;
            Ok((Subject::new(id, row.owner, webhook.name.as_str()), sent))
        })
        .await
    }

    /// Queues the failed deliveries of a webhook again that were created at or after `from` and
    /// before `before`: the same bytes under the same ids. Returns how many: fewer than there are
    /// where the owner may not have more queued at this moment.
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
            let span = (from, before);
            let queued = match actor.authority().scope() {
                // What the owner had sent before coming to the tenant is not the administrator's.
                Scope::Tenant(tenant) if !actor.is(owner) => {
                    actor.replay_made_in(tenant, id, span).await
                }
                _ => {
                    let failed = Replay::Failed {
                        webhook: id,
                        from,
                        before,
                    };
                    actor.engine().replay(&failed).await
                }
            };
            let queued = match queued {
                // A part was done, so there is something to record.
                Err(error @ EngineError::Interrupted { .. }) => Err(error.into()),
                queued => Ok(queued?),
            };
            Ok((actor.webhook_subject(id, owner).await, queued))
        })
        .await?
    }

    /// Replays the failed deliveries of a webhook that were made in this tenant.
    async fn replay_made_in(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        (from, before): (DateTime<Utc>, DateTime<Utc>),
    ) -> Result<u64, EngineError> {
        let mut query = DeliveryQuery {
            scope: Scope::Tenant(tenant),
            webhook: Some(webhook),
            task: None,
            states: vec![DeliveryState::Error],
            class: None,
            created_from: Some(from),
            created_before: Some(before),
            page: Page::first(AT_ONCE).with_bodies(Bodies::Omitted),
        };
        let mut done = 0;
        loop {
            let some = async {
                let rows = self.engine().list_deliveries(&query).await?;
                let kept = rows.iter().filter(|row| row.message_kept);
                let ids: Vec<_> = kept.map(|row| row.id).collect();
                let asked = ids.len() as u64;
                let queued = self.engine().replay(&Replay::Ids(ids)).await?;
                Ok((rows, asked, queued))
            };
            let (rows, asked, queued) = match some.await {
                Err(EngineError::Store(source)) if done > 0 => {
                    return Err(EngineError::Interrupted {
                        queued: done,
                        source,
                    });
                }
                Err(EngineError::Interrupted { queued, source }) => {
                    let queued = done + queued;
                    return Err(EngineError::Interrupted { queued, source });
                }
                // Calling again goes on with the rest, when that is allowed.
                Err(_) if done > 0 => return Ok(done),
                some => some?,
            };
            done += queued;
            match rows.last() {
                // What was refused of this page is not to be overtaken by the next. Where nothing
                // was queued, nothing was refused: that is an error.
                Some(last)
                    if rows.len() >= AT_ONCE as usize && (queued == 0 || queued >= asked) =>
                {
                    query.page = query.page.beyond(last.id);
                }
                _ => return Ok(done),
            }
        }
    }
}
