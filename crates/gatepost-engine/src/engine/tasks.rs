//! Tasks.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{DeliveryId, RecordHead, TaskQuery, TaskRow};
use webhook_model::{Invalid, OwnerId, Task, TaskId};

use super::handle::Engine;
use crate::emit::Emitted;
use crate::error::EngineError;
use crate::records::run_about::RunAbout;

impl Engine {
    /// Creates a task. It belongs to the owner of its webhook, whoever creates it.
    ///
    /// # Errors
    /// [`EngineError::Dangling`] when its webhook does not exist; [`EngineError::Full`] when the
    /// owner has as many as allowed; [`EngineError::TooFast`] for a system administrator without a
    /// tenant, who makes ten changes a minute, where a one-time task counts as two;
    /// [`EngineError::Platform`], failures of the store.
    pub async fn create_task(&self, task: &Task) -> Result<TaskRow, EngineError> {
        self.0.records.tasks.create(task).await
    }

    /// A task.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn task(&self, id: TaskId) -> Result<Option<TaskRow>, EngineError> {
        self.0.records.tasks.get(id).await
    }

    /// The heads of those of these tasks that are there and whose names can be read, in order of
    /// their row numbers. Their messages are not read.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn named_tasks(
        &self,
        ids: &[TaskId],
    ) -> Result<BTreeMap<TaskId, RecordHead>, EngineError> {
        self.0.records.tasks.named(ids).await
    }

    /// One page of tasks.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>, EngineError> {
        self.0.records.tasks.list(query).await
    }

    /// When the newest delivery of each of these tasks was created, for those that have one.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn last_runs(
        &self,
        tasks: &[TaskId],
    ) -> Result<BTreeMap<TaskId, DateTime<Utc>>, EngineError> {
        let runs = self.0.records.tasks.store.last_runs(tasks).await?;
        Ok(runs.into_iter().collect())
    }

    /// Changes a task. `edit` may be called again if the task was changed by others in between.
    /// With another owner's webhook, the task and its events are that owner's.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], what `edit` refuses, and as [`create_task`](Self::create_task).
    pub async fn edit_task(
        &self,
        id: TaskId,
        edit: impl FnMut(&mut Task) -> Result<(), Invalid> + Send,
    ) -> Result<TaskRow, EngineError> {
        self.0.records.tasks.edit(id, edit).await
    }

    /// Deletes a task and its events. Deliveries that it made go on.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], failures of the store.
    pub async fn delete_task(&self, id: TaskId) -> Result<(), EngineError> {
        self.0.records.tasks.delete(id).await
    }

    /// Runs a task by hand, whether or not anything occurred. A one-time task is deleted by that. A
    /// disabled task does not run. The log says who ran it: `by`, unless the platform had to be
    /// waited for.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when there is no enabled task of that number;
    /// [`EngineError::TooFast`]; [`EngineError::Forbidden`] when the owner may not receive what it
    /// sends; [`EngineError::Full`] when as many deliveries of the owner wait as may;
    /// [`EmitError::Render`](crate::EmitError::Render); and as [`emit`](Engine::emit).
    pub async fn run_task(&self, id: TaskId, by: Option<OwnerId>) -> Result<Emitted, EngineError> {
        self.run_task_about(id, RunAbout::default(), by).await
    }

    /// As [`run_task`](Self::run_task), as if this had occurred. It runs only if its owner may
    /// receive that.
    ///
    /// # Errors
    /// As [`run_task`](Self::run_task).
    pub async fn run_task_about(
        &self,
        id: TaskId,
        about: RunAbout,
        by: Option<OwnerId>,
    ) -> Result<Emitted, EngineError> {
        self.0.records.tasks.run(id, about, by).await
    }

    /// Sends a task's message as a test: filled in for this, by the task's webhook, through queue
    /// and log, under an id that [says so](gatepost_storage::webhooks::MessageId::is_test). The
    /// task need not be enabled, is not deleted if it runs once, and does not count as run. What
    /// its owner may receive is for the caller to judge.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when there is no such task;
    /// [`EmitError::Message`](crate::EmitError::Message) when the message grows too large; and as
    /// [`send`](Self::send).
    pub async fn test_task(&self, id: TaskId, about: RunAbout) -> Result<DeliveryId, EngineError> {
        self.0.records.deliveries.test(id, about).await
    }
}
