//! Subscriptions: a task with the events that run it, and the webhook that it sends, in one commit.

use gatepost_storage::webhooks::{InsertedRecords, NewRecords};
use webhook_model::{Field, Invalid, OwnerId, SigningSecret};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::completion::{Answer, finish};
use crate::error::ManageError;
use crate::events::no_such_object;
use crate::subject::Subject;
use crate::tables::{EVENTS, TASKS, WEBHOOKS};
use crate::tasks::{of_task, webhook_of};
use crate::webhooks::of_webhook;

impl Actor {
    /// Creates a task, the events that run it, and the webhook that it sends if that is new: all of
    /// them in one commit, or none. Each belongs to the one before it.
    /// Each creation has its own audit record. With `is_signed`, a signing secret is made for the
    /// new webhook; it is the second part of the result and is never shown again.
    ///
    /// # Errors
    /// [`ManageError::Invalid`] without a task, or for more events than
    /// [`MAX_TOGETHER`](crate::MAX_TOGETHER); the errors of
    /// [`create_webhook`](Self::create_webhook), [`create_task`](Self::create_task) and
    /// [`create_event`](Self::create_event). Nothing is stored then.
    pub fn subscribe(
        &self,
        mut records: NewRecords,
        is_signed: bool,
    ) -> Answer<'_, (InsertedRecords, Option<SigningSecret>)> {
        let actor = self.clone();
        let webhook = records.webhook.as_mut().filter(|_| is_signed);
        let secret = webhook.map(|webhook| {
            let secret = SigningSecret::from_random(rand::random());
            webhook.signing = webhook.signing.rotated(secret.clone(), 0);
            secret
        });
        finish(async move {
            let owner = actor.may_subscribe(&records).await?;
            let stored = actor.engine().create_records(records).await;
            let stored = stored.map_err(|error| no_such_object(error).about(actor.is(owner)))?;
            for (table, subject) in subjects(&stored) {
                actor.record(table, Operation::Create, subject).await;
            }
            Ok((stored, secret))
        })
    }

    /// Returns whose the records will be, if the caller may create them.
    async fn may_subscribe(&self, records: &NewRecords) -> Result<OwnerId, ManageError> {
        let task = records.task.as_ref();
        let task = task.ok_or_else(|| Invalid::new(Field::Task, "is required"))?;
        let owner = match (&records.webhook, webhook_of(task)) {
            (Some(webhook), _) => webhook.owner,
            (None, Some(webhook)) => self.usable_webhook(webhook).await?,
            (None, None) => task.creator,
        };
        if self.manages(task.creator).await? && self.manages(owner).await? {
            Ok(owner)
        } else {
            Err(ManageError::Forbidden)
        }
    }
}

/// The subjects of the audit records, each with its table.
fn subjects(stored: &InsertedRecords) -> Vec<(&'static str, Subject)> {
    let webhook = stored.webhook.iter();
    let webhook = webhook.map(|row| (WEBHOOKS, of_webhook(row)));
    let task = stored.task.iter().map(|row| (TASKS, of_task(row)));
    let events = stored.events.iter();
    let events = events.map(|row| (EVENTS, Subject::event(row.id, row.owner, &row.value)));
    webhook.chain(task).chain(events).collect()
}
