//! Webhooks (SPEC 2.2).

use delivery::RequestError;
use gatepost_storage::webhooks::{Cascade, TaskQuery, WebhookQuery, WebhookRow};
use gatepost_storage::{Bodies, ErrorKind, Page, Scope};
use webhook_model::{Activity, Authorization, Field, Invalid, OwnerId, Webhook, WebhookId};

use super::changes::Record;
use super::targets::TargetVerdict;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::routes::prototype;

/// The number of tasks named in the refusal to delete a webhook.
const NAMED: usize = 20;
/// The number of tasks read at a time to count them.
const COUNTED: u32 = 1_000;

impl Engine {
    /// Creates a webhook.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] when headers and authorization contradict each other or no request
    /// can be made of it, [`EngineError::NameTaken`] by another webhook of the owner,
    /// [`EngineError::Full`] when the owner has as many as allowed, [`EngineError::TooFast`],
    /// [`EngineError::Platform`], failures of the store.
    pub async fn create_webhook(&self, webhook: &Webhook) -> Result<WebhookRow, EngineError> {
        self.create(webhook).await
    }

    /// Returns a webhook.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookRow>, EngineError> {
        Ok(self.core.store.webhook(id).await?)
    }

    /// Returns those of these webhooks that exist and can be read, in order of their row numbers.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn webhooks(&self, ids: &[WebhookId]) -> Result<Vec<WebhookRow>, EngineError> {
        Ok(self.core.store.webhooks(ids).await?)
    }

    /// Returns one page of webhooks.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Vec<WebhookRow>, EngineError> {
        Ok(self.core.store.list_webhooks(query).await?)
    }

    /// Changes a webhook, from the next attempt on, including those of pending deliveries. `edit`
    /// may be called again if the webhook was changed in between.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], the refusals of `edit`, and as
    /// [`create_webhook`](Self::create_webhook).
    pub async fn edit_webhook(
        &self,
        id: WebhookId,
        edit: impl FnMut(&mut Webhook) -> Result<(), Invalid> + Send,
    ) -> Result<WebhookRow, EngineError> {
        let (before, row) = self.edit(id, edit).await?;
        let activities = &self.parts.activities;
        if before.url != row.value.url {
            activities.admission.end_hold(id);
        }
        activities.admission.inquiries.ask(id);
        let disabled = Activity::Disabled;
        if row.value.activity == disabled && before.activity != disabled {
            activities.troubles.disabled(&row, "manually");
        }
        Ok(row)
    }

    /// Pauses a webhook: its deliveries are queued and wait. Requests in flight end.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::TooFast`] if its owner is a system administrator
    /// without a tenant, who makes ten changes a minute (pausing a paused webhook is none);
    /// failures of the store.
    pub async fn pause_webhook(&self, id: WebhookId) -> Result<WebhookRow, EngineError> {
        self.parts.activities.set(id, Activity::Paused).await
    }

    /// Resumes a webhook: its backlog is sent at a bounded rate, and new deliveries normally.
    ///
    /// # Errors
    /// As [`pause_webhook`](Self::pause_webhook).
    pub async fn resume_webhook(&self, id: WebhookId) -> Result<WebhookRow, EngineError> {
        self.parts.activities.set(id, Activity::Active).await
    }

    /// Deletes a webhook with its delivery log, however large: when this returns, none of its
    /// deliveries is sent or listed any more; the rows are removed in the background.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::InUse`], naming tasks that send it, unless
    /// `cascade` deletes these as well; failures of the store.
    pub async fn delete_webhook(&self, id: WebhookId, cascade: Cascade) -> Result<(), EngineError> {
        match self.delete(id.into(), cascade).await {
            Err(EngineError::Store(error)) if error.kind() == ErrorKind::InUse => {
                let (tasks, more) = self.users(id).await?;
                Err(EngineError::InUse { tasks, more })
            }
            owner => {
                self.core.access.deleted(owner?).await;
                Ok(())
            }
        }
    }

    /// Returns the names of the first tasks that send it, and the number of the others.
    async fn users(&self, id: WebhookId) -> Result<(Vec<String>, u64), EngineError> {
        let mut query = TaskQuery {
            scope: Scope::All,
            creator: None,
            webhook: Some(id),
            name: None,
            page: Page::first(COUNTED).with_bodies(Bodies::Omitted),
        };
        let (mut names, mut more) = (Vec::new(), 0);
        loop {
            let tasks = self.core.store.list_tasks(&query).await?;
            let Some(last) = tasks.last() else {
                return Ok((names, more));
            };
            query.page = query.page.beyond(last.id);
            more += tasks.len() as u64;
            let named = tasks.iter().take(NAMED - names.len());
            more -= named.len() as u64;
            names.extend(named.map(|row| row.value.name.to_string()));
        }
    }
}

impl Record for Webhook {
    type Id = WebhookId;

    const PARENT: Field = Field::Owner;

    async fn validate(
        &self,
        before: Option<&Self>,
        _: Option<OwnerId>,
        engine: &Engine,
    ) -> Result<OwnerId, EngineError> {
        self.check()?;
        // A webhook that the sender would refuse each time is refused here, so that the owner sees
        // it.
        prototype(self).map_err(|error| Invalid::new(field(&error), error.to_string()))?;
        let token_url = |webhook: &Self| match &webhook.authorization {
            Authorization::OAuth2(client) => Some(client.token_url().clone()),
            _ => None,
        };
        let url = token_url(self);
        // A client secret is not stored for a token endpoint to which nothing may be sent. A stored
        // one stays: each attempt checks it again.
        if url != before.and_then(token_url)
            && let Some(TargetVerdict::Refused(refusal)) = url.map(|url| engine.check_url(&url))
        {
            let rule = format!("cannot be asked: {refusal}");
            return Err(Invalid::new(Field::OAuthTokenUrl, rule).into());
        }
        if let Some(schedule) = &self.retry_schedule
            && before.is_none_or(|before| before.retry_schedule.as_ref() != Some(schedule))
        {
            engine.parts.schedules.check(schedule)?;
        }
        // It keeps its owner, whatever the edit sets.
        Ok(before.unwrap_or(self).owner)
    }
}

/// The field that prevents a request.
fn field(error: &RequestError) -> Field {
    match error {
        RequestError::ClientIdentity(error) if error.is_about_key() => Field::ClientKey,
        RequestError::ClientIdentity(_) => Field::ClientCertificate,
        RequestError::SigningKey(_) => Field::SigningSecrets,
        RequestError::HeaderName(_)
        | RequestError::HeaderValue(_)
        | RequestError::ReservedHeader(_)
        | RequestError::TooManyHeaders => Field::Headers,
        _ => Field::Url,
    }
}
