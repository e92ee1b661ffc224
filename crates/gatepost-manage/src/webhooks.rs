//! Webhooks (SPEC 2.2).

use gatepost_storage::Row;
use gatepost_storage::webhooks::{Cascade, RecordId, WebhookQuery};
use webhook_model::{Entered, Invalid, Webhook, WebhookId};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::changes::Changes;
use crate::error::ManageError;
use crate::finish::contain;
use crate::listed::{Listed, Whose};
use crate::subject::Subject;
use crate::tables::WEBHOOKS;

impl Actor {
    /// Makes a webhook.
    ///
    /// # Errors
    /// [`ManageError::Forbidden`] when its owner is not the caller's to manage,
    /// [`ManageError::Invalid`], [`ManageError::NameTaken`] when its owner has one of that name,
    /// [`ManageError::Full`], [`ManageError::TooFast`], failures of store and accounts.
    pub async fn create_webhook(
        &self,
        webhook: Webhook,
    ) -> Result<Row<WebhookId, Webhook>, ManageError> {
        self.change(WEBHOOKS, Operation::Create, |actor| async move {
            if !actor.manages(webhook.owner).await? {
                return Err(ManageError::Forbidden);
            }
            let row = actor.engine().create_webhook(&webhook).await;
            let row = row.map_err(actor.about(webhook.owner))?;
            Ok((of_webhook(&row), row))
        })
        .await
    }

    /// A webhook.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`], failures of store and accounts.
    pub async fn webhook(&self, id: WebhookId) -> Result<Row<WebhookId, Webhook>, ManageError> {
        contain(self.own_webhook(id)).await
    }

    /// One page of the webhooks that match and that the caller may see.
    ///
    /// # Errors
    /// [`ManageError::TooFast`] where many lists of the caller wait; failures of store and
    /// accounts.
    pub async fn webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Listed<Row<WebhookId, Webhook>, WebhookId>, ManageError> {
        let read = |scope, page| {
            let query = WebhookQuery {
                scope,
                page,
                ..query.clone()
            };
            async move { self.engine().list_webhooks(&query).await }
        };
        let whose = |row: &Row<WebhookId, Webhook>| Some(Whose::of(row.owner));
        contain(self.listed(query.scope, query.page, |row| row.id, whose, read)).await
    }

    /// Changes a webhook; in force for the next attempt. Its owner stays. `edit` may be called
    /// again if the webhook was changed by others at the same time.
    ///
    /// Secrets that are stored do not go elsewhere: an edit that leads the webhook to another URL,
    /// or lets it accept any certificate, must remove them; to enter them again, use
    /// [`edit_webhook_with`](Self::edit_webhook_with).
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`], what `edit` refuses, and as
    /// [`create_webhook`](Self::create_webhook); [`ManageError::Invalid`] about the secret that
    /// would go elsewhere ([`Webhook::check_elsewhere`]).
    pub async fn edit_webhook(
        &self,
        id: WebhookId,
        edit: impl FnMut(&mut Webhook) -> Result<(), Invalid> + Send + 'static,
    ) -> Result<Row<WebhookId, Webhook>, ManageError> {
        self.edit_webhook_with(id, Entered::default(), edit).await
    }

    /// As [`edit_webhook`](Self::edit_webhook), by a caller who typed these secrets, so that they
    /// may go wherever the webhook leads.
    ///
    /// # Errors
    /// As [`edit_webhook`](Self::edit_webhook), about secrets that were not entered.
    pub async fn edit_webhook_with(
        &self,
        id: WebhookId,
        entered: Entered,
        mut edit: impl FnMut(&mut Webhook) -> Result<(), Invalid> + Send + 'static,
    ) -> Result<Row<WebhookId, Webhook>, ManageError> {
        self.change_webhook(id, Operation::Update, move |webhook| {
            let before = webhook.clone();
            edit(webhook)?;
            webhook.check_elsewhere(&before, entered)
        })
        .await
    }

    /// Deletes a webhook with its delivery log, also one that cannot be read. Its name is free at
    /// once.
    ///
    /// # Errors
    /// [`ManageError::NotFound`]; [`ManageError::InUse`] while tasks send it, all of which are its
    /// owner's, unless `cascade` says that they go as well; failures of store and accounts.
    pub async fn delete_webhook(&self, id: WebhookId, cascade: Cascade) -> Result<(), ManageError> {
        self.change(WEBHOOKS, Operation::Delete, move |actor| async move {
            let owner = actor.own_record(RecordId::Webhook(id)).await?;
            let subject = actor.webhook_subject(id, owner).await;
            actor.engine().delete_webhook(id, cascade).await?;
            Ok((subject, ()))
        })
        .await
    }

    /// Holds deliveries: what occurs is queued and waits. What is in flight ends.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`], [`ManageError::TooFast`] where it is
    /// an operator's, failures of store and accounts.
    pub async fn pause_webhook(
        &self,
        id: WebhookId,
    ) -> Result<Row<WebhookId, Webhook>, ManageError> {
        self.change(WEBHOOKS, Operation::Pause, move |actor| async move {
            let before = actor.own_webhook(id).await?;
            let row = actor.engine().pause_webhook(id).await;
            let row = row.map_err(actor.about(before.owner))?;
            let subject = of_webhook(&row);
            Ok((subject, row))
        })
        .await
    }

    /// Sends what was held, at a bounded rate, and what occurs from now on.
    ///
    /// # Errors
    /// As [`pause_webhook`](Self::pause_webhook).
    pub async fn resume_webhook(
        &self,
        id: WebhookId,
    ) -> Result<Row<WebhookId, Webhook>, ManageError> {
        self.change(WEBHOOKS, Operation::Resume, move |actor| async move {
            let before = actor.own_webhook(id).await?;
            let row = actor.engine().resume_webhook(id).await;
            let row = row.map_err(actor.about(before.owner))?;
            let subject = of_webhook(&row);
            Ok((subject, row))
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
            let owner = actor.own_webhook(id).await?.owner;
            let mut before = None;
            let edited = actor.engine().edit_webhook(id, |webhook| {
                before = Some(webhook.clone());
                edit(webhook)?;
                webhook.owner = owner;
                Ok(())
            });
            let row = edited.await.map_err(actor.about(owner))?;
            let changes = before.map(|before| Changes::of_webhook(&before, &row.value));
            Ok((of_webhook(&row).with(changes.unwrap_or_default()), row))
        })
        .await
    }
}

fn of_webhook(row: &Row<WebhookId, Webhook>) -> Subject {
    Subject::new(row.id, row.owner, row.value.name.as_str())
}
