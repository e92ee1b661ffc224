//! Webhooks (SPEC 2.2).

use delivery::RequestError;
use gatepost_storage::webhooks::{Cascade, TaskQuery, WebhookQuery};
use gatepost_storage::{ErrorKind, Page, Row};
use webhook_model::{Activity, Field, Invalid, Webhook, WebhookId};

use super::edit;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::work::prototype;

/// Names of tasks told to a caller who may not delete a webhook.
const NAMED: u32 = 20;

impl Engine {
    /// Makes a webhook.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] when headers and authorization contradict each other or no request
    /// can be made of it, [`EngineError::NameTaken`], failures of the store.
    pub async fn create_webhook(
        &self,
        webhook: &Webhook,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        check(webhook)?;
        Ok(self
            .inner
            .store
            .insert_webhook(webhook, self.inner.now())
            .await?)
    }

    /// A webhook.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn webhook(
        &self,
        id: WebhookId,
    ) -> Result<Option<Row<WebhookId, Webhook>>, EngineError> {
        Ok(self.inner.store.webhook(id).await?)
    }

    /// One page of webhooks.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Vec<Row<WebhookId, Webhook>>, EngineError> {
        Ok(self.inner.store.list_webhooks(query).await?)
    }

    /// Changes a webhook; in force for the next attempt, also of deliveries that wait. `edit` may
    /// be called again if the webhook was changed by others meanwhile.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], [`EngineError::Invalid`], [`EngineError::NameTaken`], failures of
    /// the store, and what `edit` refuses.
    pub async fn edit_webhook(
        &self,
        id: WebhookId,
        mut edit: impl FnMut(&mut Webhook) -> Result<(), Invalid> + Send,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        let result: Result<Row<WebhookId, Webhook>, EngineError> = async {
            edit!(self, webhook, update_webhook, Into::into, id, |row| {
                edit(&mut row.value)?;
                check(&row.value)?;
            })
        }
        .await;
        let row = result?;
        self.inner.lanes.look_now();
        Ok(row)
    }

    /// Holds deliveries: what occurs is queued and waits. What is in flight ends.
    ///
    /// # Errors
    /// As [`edit_webhook`](Self::edit_webhook).
    pub async fn pause_webhook(
        &self,
        id: WebhookId,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        self.set_activity(id, Activity::Paused).await
    }

    /// Sends what was held, at a bounded rate, and what occurs from now on.
    ///
    /// # Errors
    /// As [`edit_webhook`](Self::edit_webhook).
    pub async fn resume_webhook(
        &self,
        id: WebhookId,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        self.set_activity(id, Activity::Active).await
    }

    async fn set_activity(
        &self,
        id: WebhookId,
        activity: Activity,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        self.edit_webhook(id, |webhook| {
            webhook.activity = activity;
            Ok(())
        })
        .await
    }

    /// Deletes a webhook with its delivery log.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::InUse`], naming tasks that send it, unless
    /// `cascade` says that they go as well; failures of the store.
    pub async fn delete_webhook(&self, id: WebhookId, cascade: Cascade) -> Result<(), EngineError> {
        let inner = &self.inner;
        match inner.store.delete_webhook(id, cascade, inner.now()).await {
            Err(error) if error.kind() == ErrorKind::InUse => {
                let query = TaskQuery {
                    creator: None,
                    webhook: Some(id),
                    name: None,
                    page: Page::first(NAMED),
                };
                let tasks = inner.store.list_tasks(&query).await?;
                Err(EngineError::InUse {
                    tasks: tasks
                        .into_iter()
                        .map(|row| row.task.name.to_string())
                        .collect(),
                })
            }
            other => Ok(other?),
        }
    }
}

/// What the sender would refuse each time is refused here, where its owner sees it.
fn check(webhook: &Webhook) -> Result<(), Invalid> {
    webhook.check()?;
    let Err(error) = prototype(webhook) else {
        return Ok(());
    };
    let field = match error {
        RequestError::SigningKey(_) => Field::SigningSecrets,
        RequestError::HeaderName(_)
        | RequestError::HeaderValue(_)
        | RequestError::ReservedHeader(_)
        | RequestError::TooManyHeaders => Field::Headers,
        _ => Field::Url,
    };
    Err(Invalid::new(field, error.to_string()))
}
