//! Tasks and their columns.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::TaskRow;
use gatepost_storage::{ErrorKind, Revision};
use rusqlite::{Connection, params};
use webhook_model::{Action, Message, OwnerId, Task, TaskId, WebhookId};

use super::revision::check_revision;
use crate::column::{maybe_time, micros, parse, time};
use crate::error::{Failure, Result};
use crate::routes::routes_changed;

pub(super) const COLUMNS: &str = "id, revision, created, modified, last_run, creator, name, description, enabled, delete_after_run, \
     webhook, message FROM gatepost_task";

pub(super) fn insert(c: &Connection, task: &Task, now: DateTime<Utc>) -> Result<TaskRow> {
    let (webhook, message) = action(c, task)?;
    routes_changed(c)?;
    c.prepare_cached(include_str!("../sql/records/insert_task.sql"))?
        .query_row(
            params![
                micros(now),
                task.creator.0,
                task.name.as_str(),
                task.description.as_str(),
                task.enabled,
                task.delete_after_run,
                webhook.0,
                message.as_str(),
            ],
            |r| Ok(row(r)),
        )?
}

pub(super) fn update(c: &Connection, new: &TaskRow, now: DateTime<Utc>) -> Result<TaskRow> {
    check_revision(c, "gatepost_task", new.id.0, new.revision, "task")?;
    let (webhook, message) = action(c, &new.task)?;
    routes_changed(c)?;
    c.prepare_cached(include_str!("../sql/records/update_task.sql"))?
        .query_row(
            params![
                micros(now),
                new.task.creator.0,
                new.task.name.as_str(),
                new.task.description.as_str(),
                new.task.enabled,
                new.task.delete_after_run,
                webhook.0,
                message.as_str(),
                new.id.0,
            ],
            |r| Ok(row(r)),
        )?
}

fn action<'a>(c: &Connection, task: &'a Task) -> Result<(WebhookId, &'a Message)> {
    let Action::Send { webhook, message } = &task.action else {
        return Err(Failure::new(
            ErrorKind::Invalid,
            "an action that this backend does not know",
        ));
    };
    let known = "SELECT 1 FROM gatepost_webhook WHERE id = ?1";
    if !c.prepare_cached(known)?.exists([webhook.0])? {
        return Err(Failure::new(
            ErrorKind::Invalid,
            "the task's webhook does not exist",
        ));
    }
    Ok((*webhook, message))
}

pub(super) fn row(row: &rusqlite::Row<'_>) -> Result<TaskRow> {
    Ok(TaskRow {
        id: TaskId(row.get("id")?),
        revision: Revision(row.get("revision")?),
        created: time(row, "created")?,
        modified: time(row, "modified")?,
        last_run: maybe_time(row, "last_run")?,
        task: Task {
            creator: OwnerId(row.get("creator")?),
            name: parse(row, "name")?,
            description: parse(row, "description")?,
            enabled: row.get("enabled")?,
            delete_after_run: row.get("delete_after_run")?,
            action: Action::Send {
                webhook: WebhookId(row.get("webhook")?),
                message: parse(row, "message")?,
            },
        },
    })
}
