//! Rows of the outbox.

use chrono::{DateTime, Utc};
use gatepost_ids::TenantId;
use serde_json::Value;
use webhook_model::{Audience, Occurrence, OwnerId, TaskId};

/// The row number of an occurrence in the outbox.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct OutboxId(pub i64);

/// The reason why a row of the outbox cannot be used, as a text for the platform's developer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// The tasks that match an occurrence and have not been processed yet.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum RemainingTasks {
    /// All tasks after this one, in order of their row numbers; `TaskId(0)` at first.
    After(TaskId),
    /// These tasks, whatever the occurrence matches now.
    Tasks(Vec<TaskId>),
}

impl RemainingTasks {
    /// Parses the columns `after_task` and `tasks`. The latter is a JSON array of integers or null.
    ///
    /// # Errors
    /// The array cannot be read.
    pub fn from_columns(after_task: i64, tasks: Option<&str>) -> Result<Self, Unreadable> {
        let Some(tasks) = tasks else {
            return Ok(Self::After(TaskId(after_task)));
        };
        let tasks: Vec<i64> = serde_json::from_str(tasks)
            .map_err(|_| Unreadable("tasks is not a JSON array of integers".to_owned()))?;
        Ok(Self::Tasks(tasks.into_iter().map(TaskId).collect()))
    }

    /// Returns the columns `after_task` and `tasks`.
    #[must_use]
    pub fn columns(&self) -> (i64, Option<String>) {
        match self {
            Self::After(task) => (task.0, None),
            Self::Tasks(tasks) => {
                let tasks: Vec<i64> = tasks.iter().map(|task| task.0).collect();
                (0, Some(Value::from(tasks).to_string()))
            }
        }
    }
}

/// A row of the outbox that an engine writes.
#[derive(Clone, Debug, PartialEq)]
pub struct NewOutbox {
    /// The occurrence. Its id is stored, and checked when the row is used.
    pub occurrence: Occurrence,
    /// The remaining tasks.
    pub left: RemainingTasks,
    /// The user who ran the task or triggered the event manually.
    pub by: Option<OwnerId>,
    /// The due time.
    pub due: DateTime<Utc>,
}

/// A row of the outbox.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxRow {
    /// Its row number.
    pub id: OutboxId,
    /// The occurrence, or the reason why it cannot be read: the platform writes these rows with its
    /// own SQL. A row without an audience has
    /// [`Audience::OneSystem`](webhook_model::Audience::OneSystem).
    pub occurrence: Result<Occurrence, Unreadable>,
    /// The remaining tasks.
    pub left: RemainingTasks,
    /// The user who ran the task or triggered the event manually: the
    /// [`Cause::by`](super::Cause::by) of its deliveries.
    pub by: Option<OwnerId>,
    /// The processing round: the number of times that the row was continued or postponed. A caller
    /// must name it to use the row.
    pub turn: u32,
    /// The time at which it was written.
    pub created: DateTime<Utc>,
}

/// The open part of a row of the outbox.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OpenOutbox {
    /// Its row number.
    pub id: OutboxId,
    /// The remaining tasks. If they cannot be read, any task may be among them.
    pub left: RemainingTasks,
    /// The due time.
    pub due: DateTime<Utc>,
}

impl OpenOutbox {
    /// Creates the open part of a row, as far as it can be read.
    #[must_use]
    pub fn of(id: OutboxId, left: Result<RemainingTasks, Unreadable>, due: DateTime<Utc>) -> Self {
        let left = left.unwrap_or(RemainingTasks::After(TaskId(0)));
        Self { id, left, due }
    }
}

/// The audience of a row of the outbox, as in its columns: 0 if they are empty or cannot be read.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct OutboxAudience {
    /// `tenant`.
    pub tenant: u128,
    /// `owner`.
    pub owner: u128,
}

impl OutboxAudience {
    /// Parses the columns `tenant` and `owner`.
    #[must_use]
    pub fn of_columns(tenant: Option<&str>, owner: Option<&str>) -> Self {
        let tenant = tenant.and_then(|tenant| tenant.parse().ok());
        let owner = owner.and_then(|owner| owner.parse().ok());
        Self {
            tenant: tenant.map_or(0, |TenantId(id)| id),
            owner: owner.map_or(0, |OwnerId(id)| id),
        }
    }
}

impl From<Audience> for OutboxAudience {
    fn from(audience: Audience) -> Self {
        let (tenant, owner) = match audience {
            Audience::Tenant(tenant) => (tenant.0, 0),
            Audience::Owner(owner) => (0, owner.0),
            Audience::OneSystem | Audience::Operators => (0, 0),
        };
        Self { tenant, owner }
    }
}

/// Rows of one audience, reserved for one holder for some time.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxTaken {
    /// The audience.
    pub audience: OutboxAudience,
    /// The rows, the oldest due first.
    pub rows: Vec<OutboxRow>,
}

/// The way in which a row is returned to the outbox.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum PutBack {
    /// It is due again at this time.
    Until(DateTime<Utc>),
    /// It cannot be used, for this reason.
    Aside(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_tasks_round_trip_through_columns() {
        let tasks = vec![TaskId(9), TaskId(-1)];
        for kept in [
            RemainingTasks::After(TaskId(7)),
            RemainingTasks::Tasks(tasks),
            RemainingTasks::Tasks(Vec::new()),
        ] {
            let (after, tasks) = kept.columns();
            assert_eq!(
                RemainingTasks::from_columns(after, tasks.as_deref()),
                Ok(kept)
            );
        }
        assert!(RemainingTasks::from_columns(0, Some("[1.5]")).is_err());
        assert!(RemainingTasks::from_columns(0, Some("7")).is_err());
    }
}
