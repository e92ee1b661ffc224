//! What a change was about: the record, whose it is, and what became different.

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
    /// A record of this owner that has a name.
    pub(crate) fn new(row: impl Into<ObjectId>, owner: OwnerId, name: impl Into<String>) -> Self {
        Self {
            row: row.into(),
            owner,
            name: name.into(),
            changes: Changes::default(),
        }
    }

    /// An event is called after what happens.
    pub(crate) fn event(row: EventId, owner: OwnerId, event: &Event) -> Self {
        Self::new(row, owner, format!("{} {}", event.event_type, event.event))
    }

    /// A delivery is called after its message.
    pub(crate) fn delivery(delivery: &Delivery) -> Self {
        let name = delivery.message_id.as_str();
        Self::new(ObjectId::from_number(delivery.id.0), delivery.owner, name)
    }

    pub(crate) fn with(self, changes: Changes) -> Self {
        Self { changes, ..self }
    }
}
