//! Tasks.

use chrono::{DateTime, Utc};
use gatepost_storage::ErrorKind;
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{RecordId, TaskRow};
use rusqlite::{Connection, params};
use webhook_model::{Action, OwnerId, Task, TaskId, WebhookId};

use super::read::{one, owner_of};
use super::revision::check_revision;
use super::table::{row, store};
use super::usage::{self, Delta};
use crate::error::{Failure, Result};
use crate::list::readable;
use crate::realms::{Change, place_of, record_changed};
use crate::sql::{Sql as _, value};

/// The condition that neither a row `r` nor its webhook is deleted.
pub(super) const LIVE: &str =
    "r.gone = 0 AND EXISTS (SELECT 1 FROM gatepost_live_webhook w WHERE w.id = r.webhook)";

/// The maximum number of events that are deleted together with their task; those of a task with
/// more are left to [`remove_gone`](gatepost_storage::OwnerStore::remove_gone).
const DELETED_AT_ONCE: i64 = 64;

pub(super) fn insert(
    c: &Connection,
    task: &Task,
    keys: &SealingKeys,
    at_most: &RecordUsage,
    now: DateTime<Utc>,
) -> Result<TaskRow> {
    let owner = owner_by(c, webhook_of(task)?)?;
    let bytes = task.stored_bytes();
    usage::check_room(c, owner, |usage| usage.tasks, bytes, at_most)?;
    let bytes = usage::stored(bytes);
    let inserted = store(c, task, (owner, bytes), keys, now, None, |r| row(r, keys))?;
    let delta = Delta {
        tasks: 1,
        bytes,
        ..Delta::default()
    };
    usage::add(c, owner, delta)?;
    record_changed(c, owner, Change::Task(inserted.id))?;
    Ok(inserted)
}

pub(super) fn update(
    c: &Connection,
    new: &TaskRow,
    keys: &SealingKeys,
    at_most: u64,
    now: DateTime<Utc>,
) -> Result<TaskRow> {
    let stored = check_revision(c, ("gatepost_task", LIVE), new.id.0, new.revision, "task")?;
    let webhook = webhook_of(&new.value)?;
    let owner = owner_by(c, webhook)?;
    let bytes = usage::stored(new.value.stored_bytes());
    let events = events_of(c, new.id)?;
    if owner == stored.owner {
        usage::check_growth(c, owner, stored.bytes, bytes, at_most)?;
    } else {
        usage::check_growth(c, owner, 0, bytes + events.bytes, at_most)?;
    }
    // A caller that dropped the events together with the task must be notified of them when the
    // task returns.
    let was_readable = readable(one::<Task, _>(c, new.id, |r| row::<Task>(r, keys)))?.is_some();
    let same = "SELECT enabled AND webhook = ?2 FROM gatepost_task WHERE id = ?1";
    let was_held: bool = c.one(same, [new.id.0, webhook.0], value)?;
    let updated = store(
        c,
        &new.value,
        (owner, bytes),
        keys,
        now,
        Some(new.id),
        |r| row(r, keys),
    )?;
    let all = |bytes: i64| Delta {
        tasks: 1,
        bytes: bytes + events.bytes,
        ..events
    };
    usage::add(c, stored.owner, all(stored.bytes).negative())?;
    usage::add(c, owner, all(bytes))?;
    let change = if was_held && was_readable {
        Change::Task(new.id)
    } else {
        Change::TaskWithEvents(new.id)
    };
    if owner != stored.owner {
        let sql = "UPDATE gatepost_event SET owner = ?2 WHERE task = ?1";
        c.run(sql, params![new.id.0, owner.to_bytes()])?;
        if place_of(c, owner)? != place_of(c, stored.owner)? {
            record_changed(c, stored.owner, change)?;
        }
    }
    record_changed(c, owner, change)?;
    Ok(updated)
}

/// Deletes a task with its events, and returns its owner; `None` if there is no such task.
pub(crate) fn remove(c: &Connection, id: TaskId) -> Result<Option<OwnerId>> {
    let Some(owner) = owner_of(c, RecordId::Task(id))? else {
        return Ok(None);
    };
    let events = events_of(c, id)?;
    let sql = if events.events > DELETED_AT_ONCE {
        "UPDATE gatepost_task SET gone = 1 WHERE id = ?1 RETURNING bytes"
    } else {
        "DELETE FROM gatepost_task WHERE id = ?1 RETURNING bytes"
    };
    let own: i64 = c.one(sql, [id.0], value)?;
    let taken = Delta {
        tasks: 1,
        bytes: own + events.bytes,
        ..events
    };
    usage::add(c, owner, taken.negative())?;
    Ok(Some(owner))
}

pub(super) fn delete(c: &Connection, id: TaskId) -> Result<()> {
    let owner = remove(c, id)?.ok_or_else(|| Failure::not_found("task"))?;
    record_changed(c, owner, Change::Task(id))
}

/// Returns the usage of its events.
fn events_of(c: &Connection, id: TaskId) -> Result<Delta> {
    let sql = sql!("records/of_task");
    c.one(sql, [id.0], |row| {
        Ok(Delta {
            events: row.get(0)?,
            bytes: row.get(1)?,
            ..Delta::default()
        })
    })
}

fn webhook_of(task: &Task) -> Result<WebhookId> {
    match &task.action {
        Action::Send { webhook, .. } => Ok(*webhook),
        _ => Err(Failure::new(
            ErrorKind::Invalid,
            "an action that this backend does not know",
        )),
    }
}

/// Returns the owner of a task, which is its webhook's.
fn owner_by(c: &Connection, webhook: WebhookId) -> Result<OwnerId> {
    owner_of(c, RecordId::Webhook(webhook))?
        .ok_or_else(|| Failure::new(ErrorKind::Invalid, "the task's webhook does not exist"))
}
