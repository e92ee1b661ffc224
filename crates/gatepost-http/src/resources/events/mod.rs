//! `task_events`.

mod columns;

use async_trait::async_trait;
use gatepost_manage::{Actor, ManageError, TriggerInput};
use gatepost_storage::webhooks::EventQuery;
use gatepost_storage::{Row, Scope};
use serde_json::{Value, json};
use webhook_model::{
    CatalogError, Data, Event, EventId, EventLabel, EventType, Invalid, ObjectId, TagId, Target,
    TaskId,
};

use super::row::{as_text, epoch, json_text, page, row, scanned};
use super::unreadable;
use crate::error::{ApiError, Result};
use crate::resource::{Created, Resource, Scan, Scanned};
use crate::schema::{Input, RowMap, Table, members, number};

/// The size of JSON that is read at a time, in bytes: parsed, it takes up to thirty times as much.
const OBJECTS: u64 = 128 * 1024;

#[derive(Debug)]
pub(super) struct Events;

#[async_trait]
impl Resource for Events {
    fn table(&self) -> &'static Table {
        &columns::TABLE
    }

    async fn scan(&self, caller: &Actor, scan: Scan<'_>) -> Result<Scanned> {
        if unreadable::asked_for(&scan) {
            return unreadable::scan(caller, &scan, columns::TABLE.name).await;
        }
        let event_type = scan.equal.text("table");
        let objects = ["table_event_filters", "context"];
        let objects = scan.columns.bodies(&objects, OBJECTS);
        let query = EventQuery {
            scope: Scope::All,
            task: scan.equal.key("task").map(TaskId),
            event_type: event_type.and_then(|table| table.parse().ok()),
            page: page(&scan, EventId).with_bodies(objects),
        };
        let found = caller.events(&query).await?;
        Ok(scanned(found, |row| event_row(caller, row), |id| id.0).await)
    }

    async fn get(&self, caller: &Actor, key: ObjectId) -> Result<RowMap> {
        let key = number(key)?;
        let found = caller.event(EventId(key)).await;
        unreadable::or_placeholder(found, key, |(row, _)| event_row(caller, &row))
    }

    async fn create(&self, caller: &Actor, input: Input) -> Result<Created> {
        let task = input.int("task").unwrap_or_default();
        let name = input.text("event").unwrap_or_default();
        let event = new(caller, TaskId(task), name, &input)?;
        let target = event.target;
        let created = caller.create_event(event).await;
        let created = created.map_err(|error| of_target(error, target))?;
        Ok(Created::row(created.id.0))
    }

    async fn update(&self, caller: &Actor, key: ObjectId, input: Input) -> Result<RowMap> {
        let id = EventId(number(key)?);
        let (present, _) = caller.event(id).await?;
        let target = target(&input, present.value.event_type.as_str())?;
        let label = label(caller, &present.value, &input)?;
        let edit = move |event: &mut Event| {
            event.task = input.int("task").map_or(event.task, TaskId);
            event.target = target.unwrap_or(event.target);
            apply(event, &input, label.as_ref())
        };
        let edited = caller.edit_event(id, edit).await;
        let wanted = target.unwrap_or(present.value.target);
        let row = edited.map_err(|error| of_target(error, wanted))?;
        Ok(event_row(caller, &row))
    }

    async fn delete(&self, caller: &Actor, key: ObjectId) -> Result<()> {
        Ok(caller.delete_event(EventId(number(key)?)).await?)
    }

    async fn act(&self, caller: &Actor, key: ObjectId, name: &str, input: Input) -> Result<Value> {
        if name != "trigger" {
            return Err(ApiError::not_permitted());
        }
        let context = input.json("context");
        // A context that is too large for data still provides variables.
        let data: Option<Data> = context.as_ref().and_then(|context| context.parse().ok());
        let variables = context.iter().flat_map(|context| members(context));
        let variables = variables.map(|(name, value)| (name, as_text(value)));
        let mut brought = TriggerInput::default().with_variables(variables.collect());
        (brought.data, brought.context) = (data.clone(), data);
        caller.trigger_event(EventId(number(key)?), brought).await?;
        Ok(json!({}))
    }
}

/// Parses a new event of this task and name.
pub(super) fn new(caller: &Actor, task: TaskId, name: &str, input: &Input) -> Result<Event> {
    let table = input.text("table").unwrap_or_default();
    let event_type: EventType = table.parse()?;
    if !caller.catalog().types().any(|(of, ..)| *of == event_type) {
        // Checked before the owner, which must be an object of this type.
        return Err(CatalogError::UnknownType.as_invalid().into());
    }
    let target = target(input, table)?.unwrap_or(Target::Generic);
    let mut event = Event::new(event_type, name.parse()?, target, task);
    let label = label(caller, &event, input)?;
    apply(&mut event, input, label.as_ref())?;
    Ok(event)
}

fn event_row(caller: &Actor, stored: &Row<EventId, Event>) -> RowMap {
    let event = &stored.value;
    let (owner, tag) = match event.target {
        Target::Instance(id) => (Value::from(format!("{}/{id}", event.event_type)), 0),
        Target::Tag(tag) => (Value::Null, tag.0),
        Target::Generic => (Value::Null, 0),
    };
    let label = match event.label.as_str() {
        "" => in_catalog(caller, event),
        own => own,
    };
    row(
        stored.id.0,
        [
            ("task", event.task.0.into()),
            ("table", event.event_type.as_str().into()),
            ("event", event.event.as_str().into()),
            ("event_name", label.into()),
            ("owner", owner),
            ("tag", tag.into()),
            ("enabled", event.enabled.into()),
            ("table_event_filters", Value::Object(event.filters.to_map())),
            ("context", json_text(&event.context)),
            ("created", epoch(Some(stored.created))),
            ("modified", epoch(Some(stored.modified))),
            ("unreadable", false.into()),
        ],
    )
}

/// Returns the label of an event in the catalog; empty if the catalog no longer has it.
fn in_catalog<'a>(caller: &'a Actor, event: &Event) -> &'a str {
    let label = caller
        .catalog()
        .event_label(&event.event_type, &event.event);
    label.unwrap_or_default()
}

/// Returns the label that a client wrote. The catalog's label, sent back with the whole row, is not
/// one.
fn label(caller: &Actor, event: &Event, input: &Input) -> Result<Option<EventLabel>, Invalid> {
    match input.text("event_name") {
        None => Ok(None),
        Some(text) if text == in_catalog(caller, event) => Ok(Some(EventLabel::default())),
        Some(text) => text.parse().map(Some),
    }
}

/// Returns the error for a missing object or tag, naming the column that refers to it.
pub(super) fn of_target(error: ManageError, target: Target) -> ApiError {
    match (error, target) {
        (ManageError::NoSuchObject, Target::Tag(_)) => {
            ApiError::field("tag", "there is no such object or tag")
        }
        (error, _) => error.into(),
    }
}

/// Parses `owner` or `tag`; null and 0 mean that the column is not given.
fn target(input: &Input, event_type: &str) -> Result<Option<Target>> {
    let instance = match input.reference("owner") {
        Some((table, _)) if table != event_type => {
            return Err(ApiError::field(
                "owner",
                format!("must be an object of '{event_type}'"),
            ));
        }
        // A bare row number refers to an object of the type.
        owner => owner
            .map(|(_, key)| key)
            .or_else(|| input.id("owner"))
            .map(Target::Instance),
    };
    let tag = input
        .int("tag")
        .filter(|tag| *tag > 0)
        .map(|tag| Target::Tag(TagId(tag)));
    match (instance, tag) {
        (Some(_), Some(_)) => Err(ApiError::field("tag", "must not be given beside owner")),
        (None, None) if input.has("owner") && input.has("tag") => Ok(Some(Target::Generic)),
        (instance, tag) => Ok(instance.or(tag)),
    }
}

fn apply(event: &mut Event, input: &Input, label: Option<&EventLabel>) -> Result<(), Invalid> {
    input.switch("enabled", &mut event.enabled);
    if let Some(label) = label {
        event.label.clone_from(label);
    }
    if let Some(filters) = input.json("table_event_filters") {
        event.filters = filters.parse()?;
    }
    if let Some(context) = input.json("context") {
        event.context = context.parse()?;
    }
    Ok(())
}
