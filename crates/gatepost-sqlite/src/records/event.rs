//! Events and their columns.

use chrono::{DateTime, Utc};
use gatepost_storage::columns::{parse_target, target_ids};
use gatepost_storage::webhooks::RecordId;
use gatepost_storage::{AtMost, ErrorKind, Revision, Row};
use rusqlite::{Connection, params};
use webhook_model::{Event, EventId, EventLabel, Filter, ObjectId, OwnerId, TaskId};

use super::read::owner_of;
use super::revision::check_revision;
use super::usage::{self, Delta};
use crate::column::{micros, owner, parse, stored, time};
use crate::error::{Failure, Result};
use crate::list::Body;
use crate::named::Named;
use crate::places::{Change, place_of, record_changed};

pub(super) const COLUMNS: &str = "id, owner, revision, created, modified, event_type, event, instance, tag, task, enabled, \
     filters, context, label FROM gatepost_event";

/// Of those what may be large.
pub(super) const BODIES: [Body; 2] = [
    Body {
        column: "filters",
        empty: "{}",
    },
    Body {
        column: "context",
        empty: "{}",
    },
];

/// Of a row `r`: its task is not gone.
pub(super) const LIVE: &str = "EXISTS (SELECT 1 FROM gatepost_live_task t WHERE t.id = r.task)";

pub(super) fn insert(
    c: &Connection,
    event: &Event,
    at_most: AtMost,
    now: DateTime<Utc>,
) -> Result<Row<EventId, Event>> {
    let owner = owner_by(c, event.task)?;
    let bytes = event.stored_bytes();
    usage::check_room(c, owner, |usage| usage.events, bytes, at_most)?;
    let (instance, tag) = target_ids(event.target);
    let inserted = c
        .prepare_cached(include_str!("../sql/records/insert_event.sql"))?
        .query_row(
            params![
                micros(now),
                owner.to_bytes(),
                event.event_type.as_str(),
                event.event.as_str(),
                instance.as_ref().map(ObjectId::as_str),
                tag,
                event.task.0,
                event.enabled,
                event.filters.to_string(),
                event.context.to_string(),
                usage::stored(bytes),
                event.label.as_str(),
            ],
            |r| Ok(row(r)),
        )??;
    usage::add(c, owner, one_event(usage::stored(bytes)))?;
    record_changed(c, owner, Change::Event(inserted.id))?;
    Ok(inserted)
}

pub(super) fn update(
    c: &Connection,
    new: &Row<EventId, Event>,
    at_most: AtMost,
    now: DateTime<Utc>,
) -> Result<Row<EventId, Event>> {
    let table = ("gatepost_event", LIVE);
    let stored = check_revision(c, table, new.id.0, new.revision, "event")?;
    let event = &new.value;
    let owner = owner_by(c, event.task)?;
    let bytes = usage::stored(event.stored_bytes());
    let less = if owner == stored.owner {
        stored.bytes
    } else {
        0
    };
    usage::check_growth(c, owner, less, bytes, at_most)?;
    let (instance, tag) = target_ids(event.target);
    let updated = c
        .prepare_cached(include_str!("../sql/records/update_event.sql"))?
        .query_row(
            params![
                micros(now),
                owner.to_bytes(),
                event.event_type.as_str(),
                event.event.as_str(),
                instance.as_ref().map(ObjectId::as_str),
                tag,
                event.task.0,
                event.enabled,
                event.filters.to_string(),
                event.context.to_string(),
                bytes,
                new.id.0,
                event.label.as_str(),
            ],
            |r| Ok(row(r)),
        )??;
    usage::add(c, stored.owner, one_event(stored.bytes).negative())?;
    usage::add(c, owner, one_event(bytes))?;
    if place_of(c, owner)? != place_of(c, stored.owner)? {
        record_changed(c, stored.owner, Change::Event(new.id))?;
    }
    record_changed(c, owner, Change::Event(new.id))?;
    Ok(updated)
}

pub(super) fn delete(c: &Connection, id: EventId) -> Result<()> {
    let owner = owner_of(c, RecordId::Event(id))?.ok_or_else(|| Failure::not_found("event"))?;
    let bytes: i64 = c
        .prepare_cached("DELETE FROM gatepost_event WHERE id = ?1 RETURNING bytes")?
        .query_row([id.0], |row| row.get(0))?;
    usage::add(c, owner, one_event(bytes).negative())?;
    record_changed(c, owner, Change::Event(id))
}

fn one_event(bytes: i64) -> Delta {
    Delta {
        events: 1,
        bytes,
        ..Delta::default()
    }
}

/// An event's owner is its task's.
fn owner_by(c: &Connection, task: TaskId) -> Result<OwnerId> {
    owner_of(c, RecordId::Task(task))?
        .ok_or_else(|| Failure::new(ErrorKind::Invalid, "the event's task does not exist"))
}

pub(super) fn row(row: &rusqlite::Row<'_>) -> Result<Row<EventId, Event>> {
    let row = &Named::of(row);
    let instance: Option<String> = row.get("instance")?;
    let target = parse_target(instance.as_deref(), row.get("tag")?)?;
    Ok(Row {
        id: EventId(row.get("id")?),
        owner: owner(row, "owner")?,
        revision: Revision(row.get("revision")?),
        created: time(row, "created")?,
        modified: time(row, "modified")?,
        value: Event {
            event_type: parse(row, "event_type")?,
            event: parse(row, "event")?,
            target,
            task: TaskId(row.get("task")?),
            enabled: row.get("enabled")?,
            filters: stored(row, "filters", Filter::stored)?,
            context: parse(row, "context")?,
            label: stored(row, "label", EventLabel::stored)?,
        },
    })
}
