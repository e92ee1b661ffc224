//! A task as it is stored.

use gatepost_ids::OwnerId;
use webhook_model::{Task, TaskId, TaskName};

use crate::page::Row;

/// A task as it is stored: its owner is the owner of its webhook.
pub type TaskRow = Row<TaskId, Task>;

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
            name: row.value.name.clone(),
            enabled: row.value.enabled,
        }
    }
}
