//! Tasks.

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::webhooks::{RecordId, RoutesVersion, TaskQuery, TaskRow};
use gatepost_storage::{ErrorKind, StoreError};
use redb::ReadTransaction;
use serde_json::{Value, json};
use webhook_model::{Action, EventId, Task, TaskId};

use super::codec;
use super::error::{Answer, failed};
use super::events::events_of;
use super::owner_rows::in_scope;
use super::sizes::{bytes_of, check_growth, check_room};
use super::stored::{Stored, changed, edited, numbers, owner_in};
use super::tables::{EVENTS, OWNERS, TASKS, Tx, WEBHOOKS, bodied_page, readable};

pub(super) fn insert(
    tx: &Tx,
    task: Task,
    at_most: &RecordUsage,
    now: DateTime<Utc>,
) -> Answer<TaskRow> {
    let owner = owner_by_webhook(tx, &task)?;
    check_room(tx, owner, |u| u.tasks, task.stored_bytes(), at_most)?;
    let row = TaskRow::inserted(TaskId(tx.count("task")?), owner, task, now);
    tx.put(TASKS, row.id.0, &codec::encode(&row)?)?;
    changed(tx, [owner; 2], &[RecordId::Task(row.id)])?;
    Ok(row)
}

pub(super) fn list(tx: &ReadTransaction, query: TaskQuery) -> Answer<Vec<TaskRow>> {
    let TaskQuery {
        scope,
        creator,
        webhook,
        name,
        page: p,
    } = query;
    let owners = tx.open_table(OWNERS).map_err(failed)?;
    let wanted = |row: &Value| {
        Ok(in_scope(&owners, scope, row)?
            && creator.is_none_or(|c| row["creator"] == json!(c))
            && webhook.is_none_or(|w| row["webhook"] == w.0)
            && name.as_ref().is_none_or(|n| row["name"] == n.as_str()))
    };
    let rows = tx.open_table(TASKS).map_err(failed)?;
    bodied_page(&rows, &numbers(p, |id| id.0), wanted, |_, row| {
        readable(codec::decode(&row))
    })
}

pub(super) fn update(tx: &Tx, edit: TaskRow, at_most: u64, now: DateTime<Utc>) -> Answer<TaskRow> {
    let old = Stored::of(tx.row(TASKS, edit.id.0)?, edit.revision, "task")?;
    let owner = owner_by_webhook(tx, &edit.value)?;
    let mut new = edited(&old, edit, now);
    new.owner = owner;
    let row = codec::encode(&new)?;
    let events = events_of(tx, new.id)?;
    let (mut less, mut more) = (bytes_of(tx, new.id, &old.row)?, new.value.stored_bytes());
    if owner != old.owner {
        less = 0;
        for (id, event) in &events {
            more += bytes_of(tx, EventId(*id), event)?;
        }
    }
    check_growth(tx, owner, (less, more), at_most)?;
    let mut named = vec![RecordId::Task(new.id)];
    for (id, mut event) in events {
        if owner != old.owner {
            event["owner"] = json!(owner);
            tx.put(EVENTS, id, &event)?;
        }
        named.push(RecordId::Event(EventId(id)));
    }
    tx.put(TASKS, new.id.0, &row)?;
    changed(tx, [old.owner, owner], &named)?;
    Ok(new)
}

/// Removes a task with its events. Where that moved the version of a place, and to which; `None`
/// if there is no such task.
pub(super) fn remove(tx: &Tx, id: TaskId) -> Answer<Option<(Place, RoutesVersion)>> {
    let Some(row) = tx.row(TASKS, id.0)? else {
        return Ok(None);
    };
    for (event, _) in events_of(tx, id)? {
        tx.remove(EVENTS, event)?;
    }
    tx.remove(TASKS, id.0)?;
    let place = tx.owner(owner_in(&row)?)?.place;
    let version = tx.changed(place, &[RecordId::Task(id)])?;
    Ok(Some((place, version)))
}

/// A task's owner is its webhook's.
fn owner_by_webhook(tx: &Tx, task: &Task) -> Answer<OwnerId> {
    let Action::Send { webhook, .. } = &task.action else {
        return Err(StoreError::new(
            ErrorKind::Unsupported,
            "an action that this version does not know",
        ));
    };
    let rule = "the task's webhook does not exist";
    let row = tx.row(WEBHOOKS, webhook.0)?;
    owner_in(&row.ok_or_else(|| StoreError::new(ErrorKind::Invalid, rule))?)
}
