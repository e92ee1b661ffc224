//! The record of an event, and its matching.

use gatepost_ids::{ObjectId, TagId, TaskId};

use super::identifiers::{EventName, EventType};
use super::json::JsonObject;
use super::occurrence::Occurrence;
use crate::filter::Filter;
use crate::size::{ROW, sum};
use crate::text::EventLabel;

/// The weight of a filter's byte: all filters for an occurrence's type and event are in memory,
/// parsed, when it is emitted.
const FILTER: u64 = 128;

/// The target of an event.
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

/// An event: a trigger that runs a task.
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
    /// The target.
    pub target: Target,
    /// The task to run.
    pub task: TaskId,
    /// Whether it is enabled.
    pub enabled: bool,
    /// The filter for the data of occurrences.
    pub filters: Filter,
    /// The value of `${context}` in the message of the task.
    pub context: JsonObject,
    /// The user's name for it; if empty, the catalog's label is shown.
    pub label: EventLabel,
}

impl Event {
    /// Creates an enabled event for any data, without a context or a label.
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

    /// Returns whether an occurrence triggers this event: it is enabled and has the same type and
    /// event; its target is the occurrence's object, a tag that the object carries, or the type as
    /// a whole (SPEC 6 rule 1); and its filter matches.
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

    /// Returns the bytes of its texts, those of its filter 128 times, and the approximate size of
    /// the row itself.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        let each = if self.filters.is_empty() { 1 } else { FILTER };
        let filter = each * sum(&[self.filters.as_str()]);
        let label = self.label.as_str();
        let words = sum(&[self.event_type.as_str(), self.event.as_str(), label]);
        ROW + words + filter + sum(&[&self.context.to_string()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_counts_each_of_its_texts() {
        let (event_type, name) = ("vms".parse().unwrap(), "on".parse().unwrap());
        let mut event = Event {
            label: "abc".parse().unwrap(),
            ..Event::new(event_type, name, Target::Generic, TaskId(1))
        };
        assert_eq!(event.stored_bytes(), ROW + 3 + 2 + 2 + 2 + 3);
        event.filters = r#"{"a":1}"#.parse().unwrap();
        assert_eq!(event.stored_bytes(), ROW + 3 + 2 + 2 + 3 + 128 * 7);
    }
}
