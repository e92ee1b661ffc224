//! Events.

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::webhooks::{EventQuery, RecordId};
use gatepost_storage::{ErrorKind, Row, StoreError};
use redb::ReadTransaction;
use serde_json::Value;
use webhook_model::{Event, EventId, TaskId};

use super::codec;
use super::error::{Answer, failed};
use super::owner_rows::in_scope;
use super::sizes::{bytes_of, check_growth, check_room};
use super::stored::{Stored, changed, edited, numbers, owner_in};
use super::tables::{EVENTS, OWNERS, TASKS, Tx, bodied_page, readable};

pub(super) fn insert(
    tx: &Tx,
    event: Event,
    at_most: &RecordUsage,
    now: DateTime<Utc>,
) -> Answer<Row<EventId, Event>> {
    let owner = owner_by_task(tx, &event)?;
    check_room(tx, owner, |u| u.events, event.stored_bytes(), at_most)?;
    let row = Row::inserted(EventId(tx.count("event")?), owner, event, now);
    tx.put(EVENTS, row.id.0, &codec::encode(&row)?)?;
    changed(tx, [owner; 2], &[RecordId::Event(row.id)])?;
    Ok(row)
}

pub(super) fn list(tx: &ReadTransaction, query: EventQuery) -> Answer<Vec<Row<EventId, Event>>> {
    let EventQuery {
        scope,
        task,
        event_type,
        page: p,
    } = query;
    let owners = tx.open_table(OWNERS).map_err(failed)?;
    let wanted = |row: &Value| {
        Ok(in_scope(&owners, scope, row)?
            && task.is_none_or(|t| row["task"] == t.0)
            && event_type
                .as_ref()
                .is_none_or(|t| row["event_type"] == t.as_str()))
    };
    let rows = tx.open_table(EVENTS).map_err(failed)?;
    bodied_page(&rows, &numbers(p, |id| id.0), wanted, |_, row| {
        readable(codec::decode(&row))
    })
}

pub(super) fn update(
    tx: &Tx,
    edit: Row<EventId, Event>,
    at_most: u64,
    now: DateTime<Utc>,
) -> Answer<Row<EventId, Event>> {
    let old = Stored::of(tx.row(EVENTS, edit.id.0)?, edit.revision, "event")?;
    let owner = owner_by_task(tx, &edit.value)?;
    let mut new = edited(&old, edit, now);
    new.owner = owner;
    let more = new.value.stored_bytes();
    let less = if owner == old.owner {
        bytes_of(tx, new.id, &old.row)?
    } else {
        0
    };
    check_growth(tx, owner, (less, more), at_most)?;
    tx.put(EVENTS, new.id.0, &codec::encode(&new)?)?;
    changed(tx, [old.owner, owner], &[RecordId::Event(new.id)])?;
    Ok(new)
}

pub(super) fn delete(tx: &Tx, id: EventId) -> Answer<()> {
    let old = tx.row(EVENTS, id.0)?;
    let old = old.ok_or_else(|| StoreError::not_found("event"))?;
    tx.remove(EVENTS, id.0)?;
    changed(tx, [owner_in(&old)?; 2], &[RecordId::Event(id)])
}

/// The events of a task, by row number.
pub(super) fn events_of(tx: &Tx, task: TaskId) -> Answer<Vec<(i64, Value)>> {
    let mut events = tx.rows(EVENTS)?;
    events.retain(|(_, row)| row["task"] == task.0);
    Ok(events)
}

/// An event's owner is its task's.
fn owner_by_task(tx: &Tx, event: &Event) -> Answer<OwnerId> {
    let rule = "the event's task does not exist";
    let row = tx.row(TASKS, event.task.0)?;
    owner_in(&row.ok_or_else(|| StoreError::new(ErrorKind::Invalid, rule))?)
}
