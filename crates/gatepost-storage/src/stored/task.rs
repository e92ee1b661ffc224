//! Tasks.

use serde::{Deserialize, Serialize};
use webhook_model::{Action, Description, OwnerId, Task, TaskId, TaskName, WebhookId};

use super::field::{Wrong, checked, maybe_time, parsed, stored_as, time};
use crate::page::Revision;
use crate::webhooks::TaskRow;

stored_as!(TaskRow, StoredTask);

#[derive(Deserialize, Serialize)]
struct StoredTask {
    id: i64,
    owner: OwnerId,
    revision: i64,
    created: i64,
    modified: i64,
    last_run: Option<i64>,
    creator: OwnerId,
    name: String,
    description: String,
    enabled: bool,
    once: bool,
    webhook: i64,
    message: String,
}

impl TryFrom<&TaskRow> for StoredTask {
    type Error = Wrong;

    fn try_from(row: &TaskRow) -> Result<Self, Wrong> {
        let task = &row.task;
        let Action::Send { webhook, message } = &task.action else {
            return Err(Wrong::new("action", "this version does not know it"));
        };
        Ok(Self {
            id: row.id.0,
            owner: row.owner,
            revision: row.revision.0,
            created: row.created.timestamp_micros(),
            modified: row.modified.timestamp_micros(),
            last_run: row.last_run.map(|at| at.timestamp_micros()),
            creator: task.creator,
            name: task.name.as_str().to_owned(),
            description: task.description.as_str().to_owned(),
            enabled: task.enabled,
            once: task.delete_after_run,
            webhook: webhook.0,
            message: message.as_str().to_owned(),
        })
    }
}

impl TryFrom<StoredTask> for TaskRow {
    type Error = Wrong;

    fn try_from(row: StoredTask) -> Result<Self, Wrong> {
        Ok(Self {
            id: TaskId(row.id),
            owner: row.owner,
            revision: Revision(row.revision),
            created: time("created", row.created)?,
            modified: time("modified", row.modified)?,
            last_run: maybe_time("last_run", row.last_run)?,
            task: Task {
                creator: row.creator,
                name: checked("name", TaskName::stored(&row.name))?,
                description: checked("description", Description::stored(&row.description))?,
                enabled: row.enabled,
                delete_after_run: row.once,
                action: Action::Send {
                    webhook: WebhookId(row.webhook),
                    message: parsed("message", &row.message)?,
                },
            },
        })
    }
}
