//! Single rows with authorization. A row of another owner is reported as missing, whether or not it
//! can be read.

use gatepost_engine::EngineError;
use gatepost_keys::OwnerId;
use gatepost_storage::webhooks::{Delivery, DeliveryId, RecordId, TaskRow};
use gatepost_storage::{ErrorKind, Row};
use webhook_model::{Event, EventId, Field, TaskId, Webhook, WebhookId};

use crate::actor::Actor;
use crate::error::ManageError;
use crate::subject::Subject;

impl Actor {
    pub(crate) async fn own_webhook(
        &self,
        id: WebhookId,
    ) -> Result<Row<WebhookId, Webhook>, ManageError> {
        let read = self.engine().webhook(id).await;
        self.own(RecordId::Webhook(id), read, |row| row.owner).await
    }

    pub(crate) async fn own_task(&self, id: TaskId) -> Result<TaskRow, ManageError> {
        let read = self.engine().task(id).await;
        self.own(RecordId::Task(id), read, |row| row.owner).await
    }

    pub(crate) async fn own_event(&self, id: EventId) -> Result<Row<EventId, Event>, ManageError> {
        let read = self.engine().event(id).await;
        self.own(RecordId::Event(id), read, |row| row.owner).await
    }

    /// Returns a delivery that the caller may see, by its owner and the tenant in which it was
    /// made.
    pub(crate) async fn seen_delivery(&self, id: DeliveryId) -> Result<Delivery, ManageError> {
        let delivery = self.engine().delivery(id).await?;
        let delivery = delivery.ok_or(ManageError::NotFound)?;
        let mut authority = self.authority();
        let (owner, tenant) = (delivery.owner, delivery.tenant);
        let may = authority.may_see_made_in(owner, tenant).await?;
        may.then_some(delivery).ok_or(ManageError::NotFound)
    }

    /// Returns a delivery that the caller may see and change: not if its owner has moved.
    pub(crate) async fn own_delivery(&self, id: DeliveryId) -> Result<Delivery, ManageError> {
        let delivery = self.seen_delivery(id).await?;
        let may = self.manages(delivery.owner).await?;
        may.then_some(delivery).ok_or(ManageError::Forbidden)
    }

    /// Returns the owner of a record that the caller may manage, even if it cannot be read.
    pub(crate) async fn own_record(&self, record: RecordId) -> Result<OwnerId, ManageError> {
        let owner = self.engine().owner_of(record).await?;
        let owner = owner.ok_or(ManageError::NotFound)?;
        let may = self.manages(owner).await?;
        may.then_some(owner).ok_or(ManageError::NotFound)
    }

    /// Checks a task's webhook: the caller must manage its owner, who then owns the task.
    pub(crate) async fn usable_webhook(&self, id: WebhookId) -> Result<OwnerId, ManageError> {
        dangling(self.own_webhook(id).await, Field::Owner).map(|row| row.owner)
    }

    /// Checks an event's task: the caller must manage its owner, who then owns the event.
    pub(crate) async fn usable_task(&self, id: TaskId) -> Result<OwnerId, ManageError> {
        dangling(self.own_task(id).await, Field::Task).map(|row| row.owner)
    }

    /// Returns a webhook of this owner as the subject of an audit record; one that cannot be read
    /// has no name.
    pub(crate) async fn webhook_subject(&self, id: WebhookId, owner: OwnerId) -> Subject {
        let read = self.engine().webhook(id).await.ok().flatten();
        let name = read.map(|row| row.value.name.as_str().to_owned());
        Subject::new(id, owner, name.unwrap_or_default())
    }

    async fn own<R>(
        &self,
        record: RecordId,
        read: Result<Option<R>, EngineError>,
        owner: fn(&R) -> OwnerId,
    ) -> Result<R, ManageError> {
        let row = match read {
            Err(EngineError::Store(error)) if error.kind() == ErrorKind::Corrupt => {
                // Only for callers who could read it if it were readable.
                self.own_record(record).await?;
                return Err(ManageError::Unreadable);
            }
            read => read?.ok_or(ManageError::NotFound)?,
        };
        let may = self.manages(owner(&row)).await?;
        may.then_some(row).ok_or(ManageError::NotFound)
    }
}

/// Reports a referenced record that the caller may not see as missing.
fn dangling<T>(found: Result<T, ManageError>, field: Field) -> Result<T, ManageError> {
    match found {
        Err(ManageError::NotFound) => Err(ManageError::Dangling {
            field: field.as_str(),
        }),
        other => other,
    }
}
