//! The fields of an event.

use gatepost_ids::{EventId, OwnerId};
use webhook_model::{Event, EventLabel, Filter, TagId, Target};

use super::field::Field;
use super::reader::{ReadRecord, Reader};
use super::record::Record;
use super::value::Value;
use crate::error::StoreError;

impl Record for Event {
    type Id = EventId;
    const NAME: &'static str = "event";
    const FIELDS: &'static [Field] = &[
        Field::new("event_type"),
        Field::new("event"),
        Field::new("target"),
        Field::new("task"),
        Field::new("enabled"),
        Field::body("filters", "{}"),
        Field::body("context", "{}"),
        Field::new("label"),
    ];

    fn values(&self) -> Result<Vec<Value>, StoreError> {
        let Self {
            event_type,
            event,
            target,
            task,
            enabled,
            filters,
            context,
            label,
        } = self;
        Ok(vec![
            Value::text(event_type.as_str()),
            Value::text(event.as_str()),
            Value::text(target_text(*target)),
            Value::Number(task.0),
            Value::Bool(*enabled),
            // Stored as text: members keep their order and numbers their digits.
            Value::text(filters.to_string()),
            Value::text(context.to_string()),
            Value::text(label.as_str()),
        ])
    }
}

impl ReadRecord for Event {
    fn read(_owner: OwnerId, fields: &mut Reader<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            event_type: fields.column()?.parsed()?,
            event: fields.column()?.parsed()?,
            target: fields.column()?.text(parse_target)?,
            task: fields.column()?.id()?,
            enabled: fields.column()?.flag()?,
            filters: fields.column()?.text(Filter::stored)?,
            context: fields.column()?.parsed()?,
            label: fields.column()?.text(EventLabel::stored)?,
        })
    }
}

/// Returns `any`, `instance 7` or `tag 3`.
fn target_text(target: Target) -> String {
    match target {
        Target::Generic => "any".to_owned(),
        Target::Instance(id) => format!("instance {id}"),
        Target::Tag(id) => format!("tag {id}"),
    }
}

pub(crate) fn parse_target(text: &str) -> Result<Target, &'static str> {
    let unknown = "neither any nor an instance nor a tag";
    match text.split_once(' ') {
        None if text == "any" => Ok(Target::Generic),
        Some(("instance", id)) => id.parse().map(Target::Instance).map_err(|_| unknown),
        Some(("tag", id)) => match id.parse() {
            Ok(id) => Ok(Target::Tag(TagId(id))),
            Err(_) => Err(unknown),
        },
        _ => Err(unknown),
    }
}
