//! Webhooks (SPEC 2.2).

use delivery::RequestError;
use gatepost_storage::webhooks::{Cascade, RecordId, TaskQuery, WebhookQuery};
use gatepost_storage::{Bodies, ErrorKind, Page, Row, Scope};
use webhook_model::{Activity, Authorization, Field, Invalid, RetrySchedule, Webhook, WebhookId};

use super::allowance::{Allowance, Kind};
use super::targets::TargetVerdict;
use crate::edit::edit;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::routes::prototype;

/// How many tasks are named to a caller who may not delete a webhook.
const NAMED: u32 = 20;
/// How many of the others are read at a time to be counted.
const COUNTED: u32 = 1_000;

impl Engine {
    /// Creates a webhook.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] when headers and authorization contradict each other or no request
    /// can be made of it, [`EngineError::NameTaken`] by another of the owner's,
    /// [`EngineError::Full`] when the owner has as many as allowed, [`EngineError::TooFast`],
    /// [`EngineError::Platform`], failures of the store.
    pub async fn create_webhook(
        &self,
        webhook: &Webhook,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        check(webhook)?;
        self.check_token_url(webhook, None)?;
        self.check_schedule(None, webhook)?;
        let mut allowance = Allowance::new(&self.core, Kind::Webhooks);
        let at_most = allowance.of(webhook.owner).await?;
        let now = self.core.clock.now()?;
        let inserted = self.core.store.insert_webhook(webhook, at_most, now).await;
        allowance
            .explained(inserted.map_err(EngineError::from))
            .await
    }

    /// A webhook.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn webhook(
        &self,
        id: WebhookId,
    ) -> Result<Option<Row<WebhookId, Webhook>>, EngineError> {
        Ok(self.core.store.webhook(id).await?)
    }

    /// Those of these webhooks that are there and can be read, in order of their row numbers.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn webhooks(
        &self,
        ids: &[WebhookId],
    ) -> Result<Vec<Row<WebhookId, Webhook>>, EngineError> {
        Ok(self.core.store.webhooks(ids).await?)
    }

    /// One page of webhooks.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Vec<Row<WebhookId, Webhook>>, EngineError> {
        Ok(self.core.store.list_webhooks(query).await?)
    }

    /// Changes a webhook; in force for the next attempt, also of deliveries that wait. `edit` may
    /// be called again if the webhook was changed by others in between.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], what `edit` refuses, and as
    /// [`create_webhook`](Self::create_webhook).
    pub async fn edit_webhook(
        &self,
        id: WebhookId,
        mut edit: impl FnMut(&mut Webhook) -> Result<(), Invalid> + Send,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        let mut allowance = Allowance::new(&self.core, Kind::Webhooks);
        let (mut activity, mut url) = (Activity::default(), None);
        let mut apply = |webhook: &mut Webhook| {
            (activity, url) = (webhook.activity, Some(webhook.url.clone()));
            let authorization = webhook.authorization.clone();
            let schedule = webhook.retry_schedule.clone();
            edit(webhook)?;
            check(webhook)?;
            self.check_token_url(webhook, Some(&authorization))?;
            self.check_schedule(schedule.as_ref(), webhook)
        };
        let edited = async {
            edit!(
                self.core,
                webhook,
                update_webhook,
                Into::into,
                id,
                |row| apply(&mut row.value)?,
                allowance.of(row.owner).await?
            )
        }
        .await;
        let row = allowance.explained(edited).await?;
        let activities = &self.parts.activities;
        if url.is_some_and(|url| url != row.value.url) {
            activities.admission.end_hold(id);
        }
        activities.admission.inquiries.ask(id);
        if row.value.activity == Activity::Disabled && activity != Activity::Disabled {
            activities.troubles.disabled(&row, "by hand");
        }
        Ok(row)
    }

    /// Holds deliveries: what occurs is queued and waits. What is in flight ends.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::TooFast`] where it is an operator's, who makes ten
    /// changes a minute (to pause what is paused is none); failures of the store.
    pub async fn pause_webhook(
        &self,
        id: WebhookId,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        self.parts.activities.set(id, Activity::Paused).await
    }

    /// Sends what was held, at a bounded rate, and what occurs from now on.
    ///
    /// # Errors
    /// As [`pause_webhook`](Self::pause_webhook).
    pub async fn resume_webhook(
        &self,
        id: WebhookId,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        self.parts.activities.set(id, Activity::Active).await
    }

    /// Deletes a webhook with its delivery log: when this returns, nothing of it is sent or listed
    /// any more, however much it was; the rows go in the background.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::InUse`], naming tasks that send it, unless
    /// `cascade` says that they go as well; failures of the store.
    pub async fn delete_webhook(&self, id: WebhookId, cascade: Cascade) -> Result<(), EngineError> {
        let owner = self.admit_deletion(RecordId::Webhook(id)).await?;
        let now = self.core.clock.now()?;
        match self.core.store.delete_webhook(id, cascade, now).await {
            Err(error) if error.kind() == ErrorKind::InUse => {
                let (tasks, more) = self.users(id).await?;
                Err(EngineError::InUse { tasks, more })
            }
            other => {
                other?;
                if let Some(owner) = owner {
                    self.core.access.deleted(owner).await;
                }
                Ok(())
            }
        }
    }

    /// A schedule that it had `before` is not asked about again.
    fn check_schedule(
        &self,
        before: Option<&RetrySchedule>,
        webhook: &Webhook,
    ) -> Result<(), Invalid> {
        match webhook.retry_schedule.as_ref() {
            new @ Some(_) if new == before => Ok(()),
            Some(new) => self.parts.schedules.check(new),
            None => Ok(()),
        }
    }

    /// A client's secret is not kept for a token endpoint that nothing may be sent to. One that was
    /// allowed when it was stored stays: each attempt judges it again.
    fn check_token_url(
        &self,
        webhook: &Webhook,
        before: Option<&Authorization>,
    ) -> Result<(), Invalid> {
        let url = |authorization: &Authorization| match authorization {
            Authorization::OAuth2(client) => Some(client.token_url().clone()),
            _ => None,
        };
        let Some(new) = url(&webhook.authorization) else {
            return Ok(());
        };
        if before.and_then(url).as_ref() == Some(&new) {
            return Ok(());
        }
        match self.judge_url(&new) {
            TargetVerdict::Refused(refusal) => {
                let rule = format!("cannot be asked: {refusal}");
                Err(Invalid::new(Field::OAuthTokenUrl, rule))
            }
            _ => Ok(()),
        }
    }

    /// The names of the first tasks that send it, and how many more do.
    async fn users(&self, id: WebhookId) -> Result<(Vec<String>, u64), EngineError> {
        let mut query = TaskQuery {
            scope: Scope::All,
            creator: None,
            webhook: Some(id),
            name: None,
            page: Page::first(NAMED).with_bodies(Bodies::Omitted),
        };
        let mut tasks = self.core.store.list_tasks(&query).await?;
        let names = tasks.iter().map(|row| row.value.name.to_string()).collect();
        let mut more = 0;
        while let Some(last) = tasks.last() {
            query.page = Page::first(COUNTED)
                .beyond(last.id)
                .with_bodies(Bodies::Omitted);
            tasks = self.core.store.list_tasks(&query).await?;
            more += tasks.len() as u64;
        }
        Ok((names, more))
    }
}

/// What the sender would refuse each time is refused here, where its owner sees it.
fn check(webhook: &Webhook) -> Result<(), Invalid> {
    webhook.check()?;
    let Err(error) = prototype(webhook) else {
        return Ok(());
    };
    let field = match error {
        RequestError::ClientIdentity(error) if error.is_about_key() => Field::ClientKey,
        RequestError::ClientIdentity(_) => Field::ClientCertificate,
        RequestError::SigningKey(_) => Field::SigningSecrets,
        RequestError::HeaderName(_)
        | RequestError::HeaderValue(_)
        | RequestError::ReservedHeader(_)
        | RequestError::TooManyHeaders => Field::Headers,
        _ => Field::Url,
    };
    Err(Invalid::new(field, error.to_string()))
}
