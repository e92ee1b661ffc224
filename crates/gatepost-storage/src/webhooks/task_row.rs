//! A task as it is stored.

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use webhook_model::{Task, TaskId, TaskName};

use crate::page::{Revision, Row};

/// A task as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRow {
    /// The row number: positive, never given out twice.
    pub id: TaskId,
    /// The owner of its webhook, and so of the task. Kept by the store; not read from a caller.
    pub owner: OwnerId,
    /// Counts the changes of this row. A recorded run is not a change.
    pub revision: Revision,
    /// When the row was inserted.
    pub created: DateTime<Utc>,
    /// When it was last changed.
    pub modified: DateTime<Utc>,
    /// When it last ran, as recorded by
    /// [`record_task_runs`](super::RecordStore::record_task_runs).
    pub last_run: Option<DateTime<Utc>>,
    /// The record.
    pub task: Task,
}

impl TaskRow {
    /// Of the columns of a task, and when it last ran.
    #[must_use]
    pub fn of(row: Row<TaskId, Task>, last_run: Option<DateTime<Utc>>) -> Self {
        let Row {
            id,
            owner,
            revision,
            created,
            modified,
            value: task,
        } = row;
        Self {
            id,
            owner,
            revision,
            created,
            modified,
            last_run,
            task,
        }
    }
}

/// What a task is called, whose it is, and whether it runs.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NamedTask {
    /// Its row number.
    pub id: TaskId,
    /// The owner of its webhook, and so of the task.
    pub owner: OwnerId,
    /// Its name.
    pub name: TaskName,
    /// Whether events run it.
    pub enabled: bool,
}

impl NamedTask {
    /// Of a task that was read.
    #[must_use]
    pub fn of(row: &TaskRow) -> Self {
        Self {
            id: row.id,
            owner: row.owner,
            name: row.task.name.clone(),
            enabled: row.task.enabled,
        }
    }
}
