//! The record of an event, and what it matches.

use gatepost_ids::{ObjectId, TagId, TaskId};

use super::json::JsonObject;
use super::occurrence::Occurrence;
use super::words::{EventName, EventType};
use crate::filter::Filter;
use crate::text::EventLabel;

/// What an event is about.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "stored: a backend learns of a new case from the compiler"
)]
pub enum Target {
    /// One object of the type.
    Instance(ObjectId),
    /// All objects of the type that carry the tag.
    Tag(TagId),
    /// The type as a whole.
    Generic,
}

/// An event.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a record: who stores it learns of a new field from the compiler"
)]
pub struct Event {
    /// The area of the platform where the trigger occurs.
    pub event_type: EventType,
    /// The trigger.
    pub event: EventName,
    /// What it is about.
    pub target: Target,
    /// The task to run.
    pub task: TaskId,
    /// Whether it triggers.
    pub enabled: bool,
    /// Which of those occurrences, by what they bring along.
    pub filters: Filter,
    /// What `${context}` in the message of the task shows.
    pub context: JsonObject,
    /// What its user calls it; where it is empty, the catalog's label is shown.
    pub label: EventLabel,
}

impl Event {
    /// An enabled event for whatever its occurrences bring along, without a context or a label.
    #[must_use]
    pub fn new(event_type: EventType, event: EventName, target: Target, task: TaskId) -> Self {
        Self {
            event_type,
            event,
            target,
            task,
            enabled: true,
            filters: Filter::default(),
            context: JsonObject::default(),
            label: EventLabel::default(),
        }
    }

    /// Whether this event is triggered by an occurrence: enabled, the same type and event, about
    /// the occurrence's object, about a tag that it carries, or about the type as a whole (SPEC 6
    /// rule 1), and with what its filter asks for.
    #[must_use]
    pub fn matches(&self, occurrence: &Occurrence) -> bool {
        self.enabled
            && self.event_type == occurrence.event_type
            && self.event == occurrence.event
            && match self.target {
                Target::Instance(id) => occurrence
                    .object
                    .as_ref()
                    .is_some_and(|object| object.id == id),
                Target::Tag(tag) => occurrence.tags.contains(&tag),
                Target::Generic => true,
            }
            && self.filters.matches(occurrence.data.as_ref())
    }
}
