//! Messages that are sent manually or as a test through the queue, or only shown.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use delivery::{Preview, Request};
use gatepost_storage::ErrorKind;
use gatepost_storage::webhooks::{Cause, DeliveryId, RecordId};
use webhook_model::{
    Action, Audience, Authorization, Message, TaskId, Template, Webhook, WebhookId,
};

use super::run_context::RunContext;
use crate::cooperative_yield::apart;
use crate::emit::ManualMessage;
use crate::engine::Engine;
use crate::error::{EmitError, EngineError};
use crate::render::Example;
use crate::routes::Route;

/// Stands for an access token that is not fetched yet.
const TOKEN: &str = "Bearer (an access token)";

impl Engine {
    /// Queues a message manually; without one, the default payload. Variables are filled in. It is
    /// sent immediately if there is headroom, as deliveries of an emit are.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], [`EmitError::Message`](crate::EmitError::Message) when it grows
    /// too large, [`EngineError::Forbidden`] when the owner's account is disabled,
    /// [`EngineError::Full`] when the owner has as many pending deliveries as allowed,
    /// [`EngineError::TooFast`], [`EngineError::Platform`], failures of the store.
    pub async fn send(
        &self,
        webhook: WebhookId,
        message: Option<&Message>,
    ) -> Result<DeliveryId, EngineError> {
        self.send_letter(webhook, message, "", false).await
    }

    /// Queues a message as a test of a webhook, under an id that [marks it as a
    /// test](gatepost_storage::webhooks::MessageId::is_test). `${NAME}` becomes `name`.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub async fn test_webhook(
        &self,
        webhook: WebhookId,
        message: Option<&Message>,
        name: &str,
    ) -> Result<DeliveryId, EngineError> {
        self.send_letter(webhook, message, name, true).await
    }

    async fn send_letter(
        &self,
        webhook: WebhookId,
        message: Option<&Message>,
        name: &str,
        is_test: bool,
    ) -> Result<DeliveryId, EngineError> {
        let mut letter = self.letter_to(webhook).await?;
        let now = self.core.clock.now()?;
        letter.body = self.manual_body(message, name, now).await?;
        letter.is_test = is_test;
        self.post(letter).await
    }

    /// Sends a task's message as a test: filled in from this context, by the task's webhook,
    /// through queue and log, under an id that [marks it as a
    /// test](gatepost_storage::webhooks::MessageId::is_test). The task need not be enabled, is not
    /// deleted if it is a one-time task, and does not count as run. The caller checks that its
    /// owner may receive the message.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when there is no such task;
    /// [`EmitError::Message`](crate::EmitError::Message) when the message grows too large; and as
    /// [`send`](Self::send).
    pub async fn test_task(
        &self,
        id: TaskId,
        about: RunContext,
    ) -> Result<DeliveryId, EngineError> {
        let row = self.task(id).await?.ok_or(EngineError::NotFound)?;
        let Action::Send { webhook, message } = row.value.action else {
            return Err(EngineError::NotFound);
        };
        let mut letter = self.letter_to(webhook).await?;
        let context = about.context.clone();
        let occurrence = about.occurrence(Audience::Owner(letter.owner))?;
        let occurrence = self.parts.emitter.joined(occurrence);
        letter.test_of = Some((id, Cause::of(&occurrence)));
        letter.is_test = true;
        let (renderer, now) = (self.parts.emitter.renderer.clone(), self.core.clock.now()?);
        let body = apart(message.as_str().len(), move || {
            let template = Template::parse(&message);
            let rendering = renderer.occurrence(&occurrence, now);
            rendering.render(&template, context.as_ref())
        });
        letter.body = body.await.map_err(EmitError::Message)?.into();
        self.post(letter).await
    }

    /// Returns a letter to a webhook that may be unreadable.
    async fn letter_to(&self, to: WebhookId) -> Result<ManualMessage, EngineError> {
        let (webhook, owner) = match self.webhook(to).await {
            Err(EngineError::Store(error)) if error.kind() == ErrorKind::Corrupt => {
                (None, self.owner_of(RecordId::Webhook(to)).await?)
            }
            read => {
                let row = read?;
                let owner = row.as_ref().map(|row| row.owner);
                (row, owner)
            }
        };
        Ok(ManualMessage {
            to,
            owner: owner.ok_or(EngineError::NotFound)?,
            webhook,
            body: "".into(),
            is_test: false,
            test_of: None,
        })
    }

    async fn post(&self, letter: ManualMessage) -> Result<DeliveryId, EngineError> {
        self.check_enabled(letter.owner).await?;
        self.admit_queued(letter.owner, 1, letter.body.len() as u64)?;
        match self.parts.emitter.post_detached(letter).await {
            Err(error) if error.kind() == ErrorKind::Invalid => Err(EngineError::NotFound),
            posted => Ok(posted?),
        }
    }

    /// Returns the exact bytes that would be sent, and the target policy's verdict, without sending
    /// anything. Holds the webhook's secrets in plaintext.
    ///
    /// # Errors
    /// [`EmitError::Message`](crate::EmitError::Message), [`EngineError::Invalid`],
    /// [`EngineError::Unsendable`] for a webhook that no request can be made of.
    pub fn preview(
        &self,
        webhook: &Webhook,
        message: Option<&Message>,
    ) -> Result<Preview, EngineError> {
        let now = self.core.clock.now()?;
        let body = self.parts.emitter.renderer.by_hand(message, "", now)?;
        let (_, mut request) = self.unstored_request(webhook, &body, now)?;
        if matches!(webhook.authorization, Authorization::OAuth2(_)) {
            let with_token = request.with_sensitive_header("Authorization", TOKEN);
            request = with_token.map_err(|error| EngineError::Unsendable(error.into()))?;
        }
        let preview = self.transport().preview(&request, now);
        preview.map_err(EngineError::Unsendable)
    }

    /// Fills in a message that is sent manually.
    async fn manual_body(
        &self,
        message: Option<&Message>,
        name: &str,
        now: DateTime<Utc>,
    ) -> Result<Arc<str>, EngineError> {
        let bytes = message.map_or(0, |text| text.as_str().len());
        let renderer = self.parts.emitter.renderer.clone();
        let (message, name) = (message.cloned(), name.to_owned());
        let render = move || renderer.by_hand(message.as_ref(), &name, now);
        Ok(apart(bytes, render).await?)
    }

    /// Fills a message in as [`test_task`](Self::test_task) does: for this context, with the
    /// platform's own variables and zone. Nothing is sent. A message of 1 MiB takes some hundredths
    /// of a second: call it on a thread that may block.
    ///
    /// # Errors
    /// [`EmitError::Message`](crate::EmitError::Message) when it grows too large.
    pub fn example(&self, message: &Message, about: &RunContext) -> Result<Example, EngineError> {
        let now = self.core.clock.now()?;
        let occurrence = about.clone().occurrence(Audience::OneSystem)?;
        let rendering = self.parts.emitter.renderer.occurrence(&occurrence, now);
        Ok(rendering.example(message, about.context.as_ref())?)
    }

    /// Returns the variables that the platform added, with their values.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.emitter.renderer.variables()
    }

    fn unstored_request(
        &self,
        webhook: &Webhook,
        body: &Arc<str>,
        now: DateTime<Utc>,
    ) -> Result<(Route, Request), EngineError> {
        webhook.check()?;
        let id = self.parts.emitter.renderer.message_id(now);
        let route = Route::unstored(webhook.clone());
        let request = route.request(&id, body).map_err(EngineError::Unsendable)?;
        Ok((route, request))
    }
}
