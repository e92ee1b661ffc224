//! Events and their columns.

use chrono::{DateTime, Utc};
use gatepost_storage::columns::{parse_target, target_ids};
use gatepost_storage::{ErrorKind, Revision, Row};
use rusqlite::{Connection, params};
use webhook_model::{Event, EventId, TaskId};

use super::revision::check_revision;
use crate::column::{micros, parse, time};
use crate::error::{Failure, Result};
use crate::routes::routes_changed;

pub(super) const COLUMNS: &str = "id, revision, created, modified, event_type, event, instance, tag, task, enabled, filters, context \
     FROM gatepost_event";

pub(super) fn insert(
    c: &Connection,
    event: &Event,
    now: DateTime<Utc>,
) -> Result<Row<EventId, Event>> {
    task_exists(c, event)?;
    routes_changed(c)?;
    let (instance, tag) = target_ids(event.target);
    c.prepare_cached(include_str!("../sql/records/insert_event.sql"))?
        .query_row(
            params![
                micros(now),
                event.event_type.as_str(),
                event.event.as_str(),
                instance,
                tag,
                event.task.0,
                event.enabled,
                event.filters.to_string(),
                event.context.to_string(),
            ],
            |r| Ok(row(r)),
        )?
}

pub(super) fn update(
    c: &Connection,
    new: &Row<EventId, Event>,
    now: DateTime<Utc>,
) -> Result<Row<EventId, Event>> {
    check_revision(c, "gatepost_event", new.id.0, new.revision, "event")?;
    let event = &new.value;
    task_exists(c, event)?;
    routes_changed(c)?;
    let (instance, tag) = target_ids(event.target);
    c.prepare_cached(include_str!("../sql/records/update_event.sql"))?
        .query_row(
            params![
                micros(now),
                event.event_type.as_str(),
                event.event.as_str(),
                instance,
                tag,
                event.task.0,
                event.enabled,
                event.filters.to_string(),
                event.context.to_string(),
                new.id.0,
            ],
            |r| Ok(row(r)),
        )?
}

fn task_exists(c: &Connection, event: &Event) -> Result<()> {
    let known = "SELECT 1 FROM gatepost_task WHERE id = ?1";
    if !c.prepare_cached(known)?.exists([event.task.0])? {
        return Err(Failure::new(
            ErrorKind::Invalid,
            "the event's task does not exist",
        ));
    }
    Ok(())
}

pub(super) fn row(row: &rusqlite::Row<'_>) -> Result<Row<EventId, Event>> {
    let target = parse_target(row.get("instance")?, row.get("tag")?)?;
    Ok(Row {
        id: EventId(row.get("id")?),
        revision: Revision(row.get("revision")?),
        created: time(row, "created")?,
        modified: time(row, "modified")?,
        value: Event {
            event_type: parse(row, "event_type")?,
            event: parse(row, "event")?,
            target,
            task: TaskId(row.get("task")?),
            enabled: row.get("enabled")?,
            filters: parse(row, "filters")?,
            context: parse(row, "context")?,
        },
    })
}
