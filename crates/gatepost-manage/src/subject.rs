//! The subject of a change: the record, its owner, and the changed fields.

use gatepost_keys::OwnerId;
use gatepost_storage::webhooks::Delivery;
use webhook_model::{Event, EventId, ObjectId};

use crate::changes::Changes;

/// The record of a change.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) row: ObjectId,
    pub(crate) owner: OwnerId,
    pub(crate) name: String,
    pub(crate) changes: Changes,
}

impl Subject {
    /// Creates the subject for a record of this owner with a name.
    pub(crate) fn new(row: impl Into<ObjectId>, owner: OwnerId, name: impl Into<String>) -> Self {
        Self {
            row: row.into(),
            owner,
            name: name.into(),
            changes: Changes::default(),
        }
    }

    /// Creates the subject for an event, named after its trigger.
    pub(crate) fn event(row: EventId, owner: OwnerId, event: &Event) -> Self {
        Self::new(row, owner, format!("{} {}", event.event_type, event.event))
    }

    /// Creates the subject for a delivery, named after its message.
    pub(crate) fn delivery(delivery: &Delivery) -> Self {
        let name = delivery.message_id.as_str();
        Self::new(ObjectId::from_number(delivery.id.0), delivery.owner, name)
    }

    pub(crate) fn with(self, changes: Changes) -> Self {
        Self { changes, ..self }
    }
}
