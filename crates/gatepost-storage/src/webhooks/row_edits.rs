//! What inserts and edits make of the rows of webhooks, tasks and events: the rules of
//! [`RecordStore`](super::RecordStore) for a backend that reads and writes whole rows. Names and
//! room are for the backend to see.

use chrono::{DateTime, SubsecRound as _, Utc};
use gatepost_ids::OwnerId;
use webhook_model::{Event, EventId, Task, TaskId, Webhook, WebhookId};

use super::task_row::TaskRow;
use crate::error::{ErrorKind, StoreError};
use crate::page::{Revision, Row};

impl<I, T> Row<I, T> {
    /// The row of a new record, made at `now`.
    #[must_use]
    pub fn inserted(id: I, owner: OwnerId, value: T, now: DateTime<Utc>) -> Self {
        let now = now.trunc_subsecs(6);
        Self {
            id,
            owner,
            revision: Revision::FIRST,
            created: now,
            modified: now,
            value,
        }
    }
}

impl Row<WebhookId, Webhook> {
    /// What this row becomes by [`update_webhook`](super::RecordStore::update_webhook) with that
    /// row: its owner stays.
    ///
    /// # Errors
    /// `Stale` when the revisions differ.
    pub fn edited_by(&self, shown: &Self, now: DateTime<Utc>) -> Result<Self, StoreError> {
        let revision = next(self.revision, shown.revision, "webhook")?;
        Ok(Self {
            revision,
            modified: now.trunc_subsecs(6),
            value: Webhook {
                owner: self.owner,
                ..shown.value.clone()
            },
            ..*self
        })
    }
}

impl Row<EventId, Event> {
    /// What this row becomes by [`update_event`](super::RecordStore::update_event) with that row,
    /// when `owner` is the owner of its task.
    ///
    /// # Errors
    /// `Stale` when the revisions differ.
    pub fn edited_by(
        &self,
        shown: &Self,
        owner: OwnerId,
        now: DateTime<Utc>,
    ) -> Result<Self, StoreError> {
        let revision = next(self.revision, shown.revision, "event")?;
        Ok(Self {
            owner,
            revision,
            modified: now.trunc_subsecs(6),
            value: shown.value.clone(),
            ..*self
        })
    }
}

impl TaskRow {
    /// The row of a new task, made at `now`; `owner` is the owner of its webhook.
    #[must_use]
    pub fn inserted(id: TaskId, owner: OwnerId, task: Task, now: DateTime<Utc>) -> Self {
        let now = now.trunc_subsecs(6);
        Self {
            id,
            owner,
            revision: Revision::FIRST,
            created: now,
            modified: now,
            last_run: None,
            task,
        }
    }

    /// What this row becomes by [`update_task`](super::RecordStore::update_task) with that row,
    /// when `owner` is the owner of its webhook.
    ///
    /// # Errors
    /// `Stale` when the revisions differ.
    pub fn edited_by(
        &self,
        shown: &Self,
        owner: OwnerId,
        now: DateTime<Utc>,
    ) -> Result<Self, StoreError> {
        let revision = next(self.revision, shown.revision, "task")?;
        Ok(Self {
            owner,
            revision,
            modified: now.trunc_subsecs(6),
            task: shown.task.clone(),
            ..*self
        })
    }
}

fn next(stored: Revision, shown: Revision, what: &'static str) -> Result<Revision, StoreError> {
    if stored != shown {
        return Err(StoreError::new(ErrorKind::Stale, what));
    }
    Ok(stored.next())
}
