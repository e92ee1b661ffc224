//! Webhooks (SPEC 2.2).

use gatepost_storage::Row;
use gatepost_storage::webhooks::{Cascade, RecordId, WebhookQuery};
use webhook_model::{Invalid, ResubmittedSecrets, Webhook, WebhookId};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::changes::Changes;
use crate::completion::{Answer, Edit, contain};
use crate::error::ManageError;
use crate::subject::Subject;
use crate::tables::WEBHOOKS;
use crate::visible_rows::{Listed, Whose};

impl Actor {
    /// Creates a webhook.
    ///
    /// # Errors
    /// [`ManageError::Forbidden`] if the caller may not manage its owner, [`ManageError::Invalid`],
    /// [`ManageError::NameTaken`] if its owner has one of that name, [`ManageError::Full`],
    /// [`ManageError::TooFast`], failures of store and accounts.
    pub fn create_webhook(&self, webhook: Webhook) -> Answer<'_, Row<WebhookId, Webhook>> {
        self.change(WEBHOOKS, Operation::Create, |actor| async move {
            if !actor.manages(webhook.owner).await? {
                return Err(ManageError::Forbidden);
            }
            let row = actor.engine().create_webhook(&webhook).await;
            let row = row.map_err(actor.about(webhook.owner))?;
            Ok((of_webhook(&row), row))
        })
    }

    /// Returns a webhook.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`], failures of store and accounts.
    pub fn webhook(&self, id: WebhookId) -> Answer<'_, Row<WebhookId, Webhook>> {
        contain(self.own_webhook(id))
    }

    /// Returns one page of the webhooks that match and that the caller may see.
    ///
    /// # Errors
    /// [`ManageError::TooFast`] if too many lists of the caller wait; failures of store and
    /// accounts.
    pub fn webhooks<'a>(
        &'a self,
        query: &'a WebhookQuery,
    ) -> Answer<'a, Listed<Row<WebhookId, Webhook>, WebhookId>> {
        contain(async move {
            let read = |scope, page| {
                let query = WebhookQuery {
                    scope,
                    page,
                    ..query.clone()
                };
                async move { self.engine().list_webhooks(&query).await }
            };
            let whose = |row: &Row<WebhookId, Webhook>| Some(Whose::of(row.owner));
            self.listed(query.scope, query.page, |row| row.id, whose, read)
                .await
        })
    }

    /// Changes a webhook; the change applies to the next attempt. Its owner stays. `edit` may be
    /// called again if others changed the webhook at the same time.
    ///
    /// Stored secrets must not be sent to another receiver: an edit that sets another URL, or
    /// accepts any certificate, must remove them. To enter them again, use
    /// [`edit_webhook_with`](Self::edit_webhook_with).
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`], refusals of `edit`, and the errors
    /// of [`create_webhook`](Self::create_webhook); [`ManageError::Invalid`] for a secret that
    /// would be sent to another receiver ([`Webhook::check_elsewhere`]).
    pub fn edit_webhook(
        &self,
        id: WebhookId,
        edit: impl FnMut(&mut Webhook) -> Result<(), Invalid> + Send + 'static,
    ) -> Answer<'_, Row<WebhookId, Webhook>> {
        self.edit_webhook_with(id, ResubmittedSecrets::default(), edit)
    }

    /// Changes a webhook as [`edit_webhook`](Self::edit_webhook) does, for a caller who entered
    /// these secrets, so that they may be sent to a new receiver.
    ///
    /// # Errors
    /// The errors of [`edit_webhook`](Self::edit_webhook), for secrets that were not entered.
    pub fn edit_webhook_with(
        &self,
        id: WebhookId,
        entered: ResubmittedSecrets,
        mut edit: impl FnMut(&mut Webhook) -> Result<(), Invalid> + Send + 'static,
    ) -> Answer<'_, Row<WebhookId, Webhook>> {
        let edit = move |webhook: &mut Webhook| {
            let before = webhook.clone();
            edit(webhook)?;
            webhook.check_elsewhere(&before, entered)
        };
        self.change_webhook(id, Operation::Update, Box::new(edit))
    }

    /// Deletes a webhook with its delivery log, even if it cannot be read. Its name is free
    /// immediately.
    ///
    /// # Errors
    /// [`ManageError::NotFound`]; [`ManageError::InUse`] if tasks of its owner send it, unless
    /// `cascade` deletes them as well; failures of store and accounts.
    pub fn delete_webhook(&self, id: WebhookId, cascade: Cascade) -> Answer<'_, ()> {
        self.change(WEBHOOKS, Operation::Delete, move |actor| async move {
            let owner = actor.own_record(RecordId::Webhook(id)).await?;
            let subject = actor.webhook_subject(id, owner).await;
            actor.engine().delete_webhook(id, cascade).await?;
            Ok((subject, ()))
        })
    }

    /// Pauses a webhook: its deliveries are queued and wait. Running attempts complete.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`], [`ManageError::TooFast`] if it is an
    /// operator's, failures of store and accounts.
    pub fn pause_webhook(&self, id: WebhookId) -> Answer<'_, Row<WebhookId, Webhook>> {
        self.change(WEBHOOKS, Operation::Pause, move |actor| async move {
            let before = actor.own_webhook(id).await?;
            let row = actor.engine().pause_webhook(id).await;
            let row = row.map_err(actor.about(before.owner))?;
            let subject = of_webhook(&row);
            Ok((subject, row))
        })
    }

    /// Resumes a webhook: waiting deliveries are sent at a bounded rate, and new ones as usual.
    ///
    /// # Errors
    /// The errors of [`pause_webhook`](Self::pause_webhook).
    pub fn resume_webhook(&self, id: WebhookId) -> Answer<'_, Row<WebhookId, Webhook>> {
        self.change(WEBHOOKS, Operation::Resume, move |actor| async move {
            let before = actor.own_webhook(id).await?;
            let row = actor.engine().resume_webhook(id).await;
            let row = row.map_err(actor.about(before.owner))?;
            let subject = of_webhook(&row);
            Ok((subject, row))
        })
    }

    pub(crate) fn change_webhook(
        &self,
        id: WebhookId,
        operation: Operation,
        mut edit: Edit<Webhook>,
    ) -> Answer<'_, Row<WebhookId, Webhook>> {
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
    }
}

pub(crate) fn of_webhook(row: &Row<WebhookId, Webhook>) -> Subject {
    Subject::new(row.id, row.owner, row.value.name.as_str())
}
