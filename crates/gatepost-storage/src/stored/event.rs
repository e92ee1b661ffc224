//! Events.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use webhook_model::{Event, EventId, EventLabel, Filter, ObjectId, OwnerId, TaskId};

use super::field::{Wrong, checked, parsed, stored_as, time};
use crate::columns::{parse_target, target_ids};
use crate::page::{Revision, Row};

stored_as!(Row<EventId, Event>, StoredEvent);

#[derive(Deserialize, Serialize)]
struct StoredEvent {
    id: i64,
    owner: OwnerId,
    revision: i64,
    created: i64,
    modified: i64,
    #[serde(rename = "type")]
    event_type: String,
    event: String,
    instance: Option<ObjectId>,
    tag: Option<i64>,
    task: i64,
    enabled: bool,
    filters: Map<String, Value>,
    /// As text, in which numbers keep their digits.
    context: String,
    #[serde(default)]
    label: String,
}

impl From<&Row<EventId, Event>> for StoredEvent {
    fn from(row: &Row<EventId, Event>) -> Self {
        let event = &row.value;
        let (instance, tag) = target_ids(event.target);
        Self {
            id: row.id.0,
            owner: row.owner,
            revision: row.revision.0,
            created: row.created.timestamp_micros(),
            modified: row.modified.timestamp_micros(),
            event_type: event.event_type.as_str().to_owned(),
            event: event.event.as_str().to_owned(),
            instance,
            tag,
            task: event.task.0,
            enabled: event.enabled,
            filters: event.filters.to_map(),
            context: event.context.to_string(),
            label: event.label.as_str().to_owned(),
        }
    }
}

impl TryFrom<StoredEvent> for Row<EventId, Event> {
    type Error = Wrong;

    fn try_from(row: StoredEvent) -> Result<Self, Wrong> {
        let filters = Value::from(row.filters).to_string();
        let instance = row.instance.as_ref().map(ObjectId::as_str);
        Ok(Self {
            id: EventId(row.id),
            owner: row.owner,
            revision: Revision(row.revision),
            created: time("created", row.created)?,
            modified: time("modified", row.modified)?,
            value: Event {
                event_type: parsed("type", &row.event_type)?,
                event: parsed("event", &row.event)?,
                target: checked("instance", parse_target(instance, row.tag))?,
                task: TaskId(row.task),
                enabled: row.enabled,
                filters: checked("filters", Filter::stored(&filters))?,
                context: parsed("context", &row.context)?,
                label: checked("label", EventLabel::stored(&row.label))?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use webhook_model::Target;

    use super::*;

    #[test]
    fn stored_context_keeps_digits_of_numbers() {
        let time = chrono::DateTime::UNIX_EPOCH;
        for context in [r#"{"a":[1.10,18446744073709551616]}"#, r#"{"a":1.5}"#] {
            let row = Row {
                id: EventId(1),
                owner: OwnerId(1),
                revision: Revision(1),
                created: time,
                modified: time,
                value: Event {
                    event_type: "vms".parse().unwrap(),
                    event: "poweron".parse().unwrap(),
                    target: Target::Generic,
                    task: TaskId(1),
                    enabled: true,
                    filters: Filter::default(),
                    context: context.parse().unwrap(),
                    label: EventLabel::default(),
                },
            };
            let stored = serde_json::to_string(&row).unwrap();
            let read: Row<EventId, Event> = serde_json::from_str(&stored).unwrap();
            assert_eq!(read.value.context.as_str(), context);
        }
    }
}
