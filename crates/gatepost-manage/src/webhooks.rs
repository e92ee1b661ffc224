//! Webhooks (SPEC 2.2).

use std::collections::{BTreeMap, BTreeSet};

use gatepost_storage::Row;
use gatepost_storage::webhooks::{Cascade, TaskQuery, WebhookQuery};
use webhook_model::{Invalid, Webhook, WebhookId};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::error::ManageError;
use crate::finish::contain;
use crate::listed::{ByOwner, Listed, STRIDE, count, fill};
use crate::tables::WEBHOOKS;

impl Actor {
    /// Makes a webhook.
    ///
    /// # Errors
    /// [`ManageError::Forbidden`] when its owner is not the caller's to manage,
    /// [`ManageError::Invalid`], [`ManageError::NameTaken`], failures of store and accounts.
    pub async fn create_webhook(
        &self,
        webhook: Webhook,
    ) -> Result<Row<WebhookId, Webhook>, ManageError> {
        self.change(WEBHOOKS, Operation::Create, |actor| async move {
            if !actor.manages(webhook.owner).await? {
                return Err(ManageError::Forbidden);
            }
            let row = actor.engine().create_webhook(&webhook).await?;
            Ok((row.id.0, row))
        })
        .await
    }

    /// A webhook.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn webhook(&self, id: WebhookId) -> Result<Row<WebhookId, Webhook>, ManageError> {
        contain(self.own_webhook(id)).await
    }

    /// One page of the webhooks that match.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Listed<Row<WebhookId, Webhook>, WebhookId>, ManageError> {
        contain(self.visible_webhooks(query)).await
    }

    /// The names of those of these webhooks that the caller may see.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn webhook_names(
        &self,
        ids: impl IntoIterator<Item = WebhookId>,
    ) -> Result<BTreeMap<WebhookId, String>, ManageError> {
        let ids: BTreeSet<_> = ids.into_iter().collect();
        contain(async {
            let mut authority = self.authority();
            let mut names = BTreeMap::new();
            for id in ids {
                if let Some(row) = self.engine().webhook(id).await?
                    && authority.may_manage(row.value.owner).await?
                {
                    names.insert(id, row.value.name.to_string());
                }
            }
            Ok(names)
        })
        .await
    }

    /// How many tasks send a webhook, those of other users included.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn count_tasks(&self, id: WebhookId) -> Result<u64, ManageError> {
        contain(async {
            self.own_webhook(id).await?;
            let read = |page| async move {
                let query = TaskQuery {
                    creator: None,
                    webhook: Some(id),
                    name: None,
                    page,
                };
                self.engine().list_tasks(&query).await
            };
            count(|row| row.id, read).await
        })
        .await
    }

    /// Changes a webhook; in force for the next attempt. Its owner stays. `edit` may be called
    /// again if the webhook was changed by others at the same time.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Invalid`], [`ManageError::NameTaken`], failures of
    /// store and accounts, and what `edit` refuses.
    pub async fn edit_webhook(
        &self,
        id: WebhookId,
        edit: impl FnMut(&mut Webhook) -> Result<(), Invalid> + Send + 'static,
    ) -> Result<Row<WebhookId, Webhook>, ManageError> {
        self.change_webhook(id, Operation::Update, edit).await
    }

    /// Deletes a webhook with its delivery log.
    ///
    /// # Errors
    /// [`ManageError::NotFound`]; [`ManageError::InUse`] while tasks send it, unless `cascade` says
    /// that they go as well; failures of store and accounts.
    pub async fn delete_webhook(&self, id: WebhookId, cascade: Cascade) -> Result<(), ManageError> {
        self.change(WEBHOOKS, Operation::Delete, move |actor| async move {
            actor.own_webhook(id).await?;
            actor.engine().delete_webhook(id, cascade).await?;
            Ok((id.0, ()))
        })
        .await
    }

    /// Holds deliveries: what occurs is queued and waits. What is in flight ends.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn pause_webhook(
        &self,
        id: WebhookId,
    ) -> Result<Row<WebhookId, Webhook>, ManageError> {
        self.change(WEBHOOKS, Operation::Pause, move |actor| async move {
            actor.own_webhook(id).await?;
            Ok((id.0, actor.engine().pause_webhook(id).await?))
        })
        .await
    }

    /// Sends what was held, at a bounded rate, and what occurs from now on.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn resume_webhook(
        &self,
        id: WebhookId,
    ) -> Result<Row<WebhookId, Webhook>, ManageError> {
        self.change(WEBHOOKS, Operation::Resume, move |actor| async move {
            actor.own_webhook(id).await?;
            Ok((id.0, actor.engine().resume_webhook(id).await?))
        })
        .await
    }

    pub(crate) async fn change_webhook(
        &self,
        id: WebhookId,
        operation: Operation,
        mut edit: impl FnMut(&mut Webhook) -> Result<(), Invalid> + Send + 'static,
    ) -> Result<Row<WebhookId, Webhook>, ManageError> {
        self.change(WEBHOOKS, operation, move |actor| async move {
            actor.own_webhook(id).await?;
            let edited = actor.engine().edit_webhook(id, |webhook| {
                let owner = webhook.owner;
                edit(webhook)?;
                webhook.owner = owner;
                Ok(())
            });
            Ok((id.0, edited.await?))
        })
        .await
    }

    /// The webhook, if the caller may see it.
    pub(crate) async fn own_webhook(
        &self,
        id: WebhookId,
    ) -> Result<Row<WebhookId, Webhook>, ManageError> {
        let row = self.engine().webhook(id).await?;
        let row = row.ok_or(ManageError::NotFound)?;
        let may = self.manages(row.value.owner).await?;
        may.then_some(row).ok_or(ManageError::NotFound)
    }

    pub(crate) async fn visible_webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Listed<Row<WebhookId, Webhook>, WebhookId>, ManageError> {
        let authority = self.authority();
        let only = authority.only();
        let owner = match (query.owner, only) {
            (Some(asked), Some(only)) if asked != only => {
                return Ok(Listed::nothing());
            }
            (asked, only) => asked.or(only),
        };
        let stride = (!self.sees_all() && only.is_none()).then_some(STRIDE);
        let mut judge = ByOwner {
            authority,
            owner: |row: &Row<WebhookId, Webhook>| row.value.owner,
        };
        fill(
            query.page,
            stride,
            |row| row.id,
            &mut judge,
            |page| {
                let query = WebhookQuery {
                    owner,
                    name: query.name.clone(),
                    page,
                };
                async move { self.engine().list_webhooks(&query).await }
            },
        )
        .await
    }
}
