//! The fields of a task.

use chrono::TimeDelta;
use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::TaskRow;
use gatepost_storage::{Revision, Row};
use webhook_model::{Action, Message, Task, TaskId, WebhookId};

use super::field::{Field, fields};
use crate::fixtures::at;

/// Returns every field of a row of tasks. The webhooks are those that its action may name.
#[must_use]
pub fn of_task(base: &TaskRow, webhooks: [WebhookId; 2]) -> Vec<Field<TaskRow>> {
    let send = |webhook, message: &str| Action::Send {
        webhook,
        message: message.parse::<Message>().unwrap(),
    };
    let [first, second] = webhooks;
    fields! { base.clone(), row =>
        row, Row {
            id: Shown [TaskId(7_001), TaskId(7_002)],
            owner: Own [OwnerId(7_001), OwnerId(7_002)],
            revision: Shown [Revision(7_001), Revision(7_002)],
            created: Own [at(-5_000), at(-5_000) + TimeDelta::microseconds(1)],
            modified: Own [at(-5_000), at(-5_000) + TimeDelta::microseconds(1)],
            value: Own [],
        };
        row.value, Task {
            creator: Edited [OwnerId(7_001), OwnerId(7_002)],
            name: Edited ["Other 'name'".parse().unwrap(), "other 'name'".parse().unwrap()],
            description: Edited ["two\nlines".parse().unwrap(), "two\nlines ".parse().unwrap()],
            enabled: Edited [false, true],
            delete_after_run: Edited [false, true],
            action: Edited [
                send(first, "{}"),
                send(second, "{}"),
                send(second, "\0\r\n"),
                send(first, ""),
            ],
        };
    }
}
