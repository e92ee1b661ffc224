//! The fields of an event.

use chrono::TimeDelta;
use gatepost_ids::OwnerId;
use gatepost_storage::{Revision, Row};
use webhook_model::{Event, EventId, JsonObject, ObjectId, TagId, Target, TaskId};

use super::field::{Field, fields};
use crate::fixtures::at;

/// Returns every field of a row of events. The tasks are those that it may run.
#[must_use]
pub fn of_event(base: &Row<EventId, Event>, tasks: [TaskId; 2]) -> Vec<Field<Row<EventId, Event>>> {
    let object = |text: &str| {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        JsonObject::new(value.as_object().unwrap().clone()).unwrap()
    };
    let [first, second] = tasks;
    fields! { base.clone(), row =>
        row, Row {
            id: Shown [EventId(7_001), EventId(7_002)],
            owner: Own [OwnerId(7_001), OwnerId(7_002)],
            revision: Shown [Revision(7_001), Revision(7_002)],
            created: Own [at(-5_000), at(-5_000) + TimeDelta::microseconds(1)],
            modified: Own [at(-5_000), at(-5_000) + TimeDelta::microseconds(1)],
            value: Own [],
        };
        row.value, Event {
            event_type: Edited ["hosts".parse().unwrap(), "hosts2".parse().unwrap()],
            event: Edited ["poweroff".parse().unwrap(), "poweroff2".parse().unwrap()],
            target: Edited [
                Target::Instance(ObjectId::from(42)),
                Target::Tag(TagId(42)),
                Target::Tag(TagId(43)),
                Target::Instance("~".repeat(ObjectId::MAX_LENGTH).parse().expect("an id")),
            ],
            task: Edited [second, first],
            enabled: Edited [false, true],
            filters: Edited [r#"{"a": 1}"#.parse().unwrap(), r#"{"a": 2}"#.parse().unwrap()],
            context: Edited [object(r#"{"a": "é\""}"#), object(r#"{"a": "é"}"#)],
            label: Edited ["night \"é\"".parse().unwrap(), "night \"e\"".parse().unwrap()],
        };
    }
}
