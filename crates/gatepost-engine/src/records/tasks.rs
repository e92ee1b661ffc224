//! Tasks (SPEC 2.3).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Found, RecordHead, RecordId, TaskQuery, TaskRow};
use gatepost_storage::{ErrorKind, StoreError};
use webhook_model::{Action, Field, Invalid, OwnerId, Task, TaskId};

use super::allowance::{Allowance, Kind};
use super::run_about::RunAbout;
use crate::edit::edit;
use crate::emit::Emitted;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Creates a task. It belongs to the owner of its webhook, whoever creates it.
    ///
    /// # Errors
    /// [`EngineError::Dangling`] when its webhook does not exist; [`EngineError::Full`] when the
    /// owner has as many as allowed; [`EngineError::TooFast`] for a system administrator without a
    /// tenant, who makes ten changes a minute, where a one-time task counts as two;
    /// [`EngineError::Platform`], failures of the store.
    pub async fn create_task(&self, task: &Task) -> Result<TaskRow, EngineError> {
        let owner = self.webhook_owner(task).await?;
        let mut allowance = Allowance::new(&self.core, Kind::Tasks);
        let at_most = allowance.of(owner).await?;
        self.pace_deletion(task, owner).await?;
        let now = self.core.clock.now()?;
        let inserted = self.core.store.insert_task(task, at_most, now).await;
        allowance.explained(inserted.map_err(dangling)).await
    }

    /// A task.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn task(&self, id: TaskId) -> Result<Option<TaskRow>, EngineError> {
        Ok(self.core.store.task(id).await?)
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
        let records: Vec<RecordId> = ids.iter().map(|id| RecordId::Task(*id)).collect();
        let heads = self.core.store.record_heads(&records).await?.into_iter();
        let named = |(id, head): (&TaskId, Found<RecordHead>)| {
            let head = head.ok()?.filter(|head| head.name.is_some())?;
            Some((*id, head))
        };
        Ok(ids.iter().zip(heads).filter_map(named).collect())
    }

    /// One page of tasks.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>, EngineError> {
        Ok(self.core.store.list_tasks(query).await?)
    }

    /// When the newest delivery of each of these tasks was created, for those that have one.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn last_runs(
        &self,
        tasks: &[TaskId],
    ) -> Result<BTreeMap<TaskId, DateTime<Utc>>, EngineError> {
        let runs = self.core.store.last_runs(tasks).await?;
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
        mut edit: impl FnMut(&mut Task) -> Result<(), Invalid> + Send,
    ) -> Result<TaskRow, EngineError> {
        let mut allowance = Allowance::new(&self.core, Kind::Tasks);
        let mut is_paced = false;
        let edited = async {
            edit!(
                self.core,
                task,
                update_task,
                dangling,
                id,
                |row| edit(&mut row.value)?,
                {
                    // With another webhook it gets another owner.
                    let owner = self.webhook_owner(&row.value).await?;
                    let at_most = allowance.of_edited(row.owner, owner).await?;
                    // However often it is tried, it is deleted once.
                    if !is_paced {
                        self.pace_deletion(&row.value, owner).await?;
                        is_paced = true;
                    }
                    at_most
                }
            )
        }
        .await;
        allowance.explained(edited).await
    }

    /// Deletes a task and its events. Deliveries that it made go on.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], failures of the store.
    pub async fn delete_task(&self, id: TaskId) -> Result<(), EngineError> {
        self.admit_deletion(RecordId::Task(id)).await?;
        let now = self.core.clock.now()?;
        Ok(self.core.store.delete_task(id, now).await?)
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
        let owner = self.owner_of(RecordId::Task(id)).await?;
        let owner = owner.ok_or(EngineError::NotFound)?;
        let (event_type, event) = about.words()?;
        let mut occurrence = self.manual_occurrence(event_type, event, owner).await?;
        occurrence.object = about.object;
        occurrence.variables = about.variables;
        occurrence.data = about.data;
        let by = (by, about.context);
        self.run_manually(id, owner, occurrence, by).await
    }

    /// The owner of its webhook.
    async fn webhook_owner(&self, task: &Task) -> Result<OwnerId, EngineError> {
        let missing = EngineError::Dangling(Field::Owner);
        let Action::Send { webhook, .. } = &task.action else {
            return Err(missing);
        };
        let owner = self.owner_of(RecordId::Webhook(*webhook)).await?;
        owner.ok_or(missing)
    }

    /// A one-time task is changed once more when its run deletes it.
    async fn pace_deletion(&self, task: &Task, owner: OwnerId) -> Result<(), EngineError> {
        if task.delete_after_run {
            self.core.access.pace_change(owner).await?;
        }
        Ok(())
    }
}

fn dangling(error: StoreError) -> EngineError {
    match error.kind() {
        ErrorKind::Invalid => EngineError::Dangling(Field::Owner),
        _ => error.into(),
    }
}
