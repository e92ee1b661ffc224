//! Webhooks.

use gatepost_storage::Row;
use gatepost_storage::webhooks::{Cascade, WebhookQuery};
use webhook_model::{Activity, Invalid, OwnerId, TargetUrl, Webhook, WebhookId};

use super::handle::Engine;
use crate::error::EngineError;
use crate::records::targets::TargetVerdict;

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
        self.0.records.webhooks.create(webhook).await
    }

    /// A webhook.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn webhook(
        &self,
        id: WebhookId,
    ) -> Result<Option<Row<WebhookId, Webhook>>, EngineError> {
        self.0.records.webhooks.get(id).await
    }

    /// Those of these webhooks that are there and can be read, in order of their row numbers.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn webhooks(
        &self,
        ids: &[WebhookId],
    ) -> Result<Vec<Row<WebhookId, Webhook>>, EngineError> {
        self.0.records.webhooks.some(ids).await
    }

    /// One page of webhooks.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Vec<Row<WebhookId, Webhook>>, EngineError> {
        self.0.records.webhooks.list(query).await
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
        edit: impl FnMut(&mut Webhook) -> Result<(), Invalid> + Send,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        self.0.records.webhooks.edit(id, edit).await
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
        let activities = &self.0.records.activities;
        activities.set(id, Activity::Paused).await
    }

    /// Sends what was held, at a bounded rate, and what occurs from now on.
    ///
    /// # Errors
    /// As [`pause_webhook`](Self::pause_webhook).
    pub async fn resume_webhook(
        &self,
        id: WebhookId,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        let activities = &self.0.records.activities;
        activities.set(id, Activity::Active).await
    }

    /// Deletes a webhook with its delivery log: when this returns, nothing of it is sent or listed
    /// any more, however much it was; the rows go in the background.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::InUse`], naming tasks that send it, unless
    /// `cascade` says that they go as well; failures of the store.
    pub async fn delete_webhook(&self, id: WebhookId, cascade: Cascade) -> Result<(), EngineError> {
        self.0.records.webhooks.delete(id, cascade).await
    }

    /// What the target policy says to a URL by itself, at once: before it is saved, or beside a
    /// field. A host name that passes is not looked up.
    #[must_use]
    pub fn judge_url(&self, url: &TargetUrl) -> TargetVerdict {
        self.0.records.targets.judge_url(url)
    }

    /// As [`judge_url`](Self::judge_url), and of a host name the addresses that it has now. `by` is
    /// the user who wants to know. Waits for at most a second; what is not known by then counts as
    /// allowed, as does everything while two other names are looked up for users of the same place,
    /// or for the same user, or eight in all. Every attempt asks again.
    pub async fn judge_target(&self, url: &TargetUrl, by: OwnerId) -> TargetVerdict {
        self.0.records.targets.judge(url, by).await
    }
}
