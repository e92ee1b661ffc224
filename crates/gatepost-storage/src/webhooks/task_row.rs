//! A task as it is stored.

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use webhook_model::{Task, TaskId};

use crate::page::Revision;

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
