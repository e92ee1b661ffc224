//! Events.

use chrono::{DateTime, Utc};
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::RecordId;
use gatepost_storage::{ErrorKind, Row};
use rusqlite::Connection;
use webhook_model::{Event, EventId, OwnerId, TaskId};

use super::read::owner_of;
use super::revision::check_revision;
use super::table::{row, store};
use super::usage::{self, Delta};
use crate::error::{Failure, Result};
use crate::realms::{Change, place_of, record_changed};
use crate::sql::{Sql as _, value};

/// The condition that the task of a row `r` is not deleted.
pub(super) const LIVE: &str = "EXISTS (SELECT 1 FROM gatepost_live_task t WHERE t.id = r.task)";

pub(super) fn insert(
    c: &Connection,
    event: &Event,
    keys: &SealingKeys,
    at_most: &RecordUsage,
    now: DateTime<Utc>,
) -> Result<Row<EventId, Event>> {
    let owner = owner_by(c, event.task)?;
    let bytes = event.stored_bytes();
    usage::check_room(c, owner, |usage| usage.events, bytes, at_most)?;
    let bytes = usage::stored(bytes);
    let inserted = store(c, event, (owner, bytes), keys, now, None, |r| row(r, keys))?;
    usage::add(c, owner, one_event(bytes))?;
    record_changed(c, owner, Change::Event(inserted.id))?;
    Ok(inserted)
}

pub(super) fn update(
    c: &Connection,
    new: &Row<EventId, Event>,
    keys: &SealingKeys,
    at_most: u64,
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
    let updated = store(c, event, (owner, bytes), keys, now, Some(new.id), |r| {
        row(r, keys)
    })?;
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
    let sql = "DELETE FROM gatepost_event WHERE id = ?1 RETURNING bytes";
    let bytes: i64 = c.one(sql, [id.0], value)?;
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

/// Returns the owner of an event, which is its task's.
fn owner_by(c: &Connection, task: TaskId) -> Result<OwnerId> {
    owner_of(c, RecordId::Task(task))?
        .ok_or_else(|| Failure::new(ErrorKind::Invalid, "the event's task does not exist"))
}
