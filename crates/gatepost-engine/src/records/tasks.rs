//! Tasks (SPEC 2.3).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Cascade, Found, RecordHead, RecordId, TaskQuery, TaskRow};
use webhook_model::{Action, Field, Invalid, OwnerId, Task, TaskId};

use super::changes::Record;
use super::run_context::RunContext;
use crate::emit::Emitted;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Creates a task. It belongs to the owner of its webhook, whichever user creates it.
    ///
    /// # Errors
    /// [`EngineError::Dangling`] when its webhook does not exist; [`EngineError::Full`] when the
    /// owner has as many as allowed; [`EngineError::TooFast`] for a system administrator without a
    /// tenant, who makes ten changes a minute, with a one-time task counting as two;
    /// [`EngineError::Platform`], failures of the store.
    pub async fn create_task(&self, task: &Task) -> Result<TaskRow, EngineError> {
        self.create(task).await
    }

    /// Returns a task.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn task(&self, id: TaskId) -> Result<Option<TaskRow>, EngineError> {
        Ok(self.core.store.task(id).await?)
    }

    /// Returns the heads of those of these tasks that exist and whose names can be read, in order
    /// of their row numbers. Their messages are not read.
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

    /// Returns one page of tasks.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>, EngineError> {
        Ok(self.core.store.list_tasks(query).await?)
    }

    /// Returns the creation time of the newest delivery of each of these tasks that has one.
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

    /// Changes a task. `edit` may be called again if the task was changed in between. With another
    /// owner's webhook, the task and its events become that owner's.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], the refusals of `edit`, and as
    /// [`create_task`](Self::create_task).
    pub async fn edit_task(
        &self,
        id: TaskId,
        edit: impl FnMut(&mut Task) -> Result<(), Invalid> + Send,
    ) -> Result<TaskRow, EngineError> {
        Ok(self.edit(id, edit).await?.1)
    }

    /// Deletes a task and its events. The deliveries that it made are still sent.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], failures of the store.
    pub async fn delete_task(&self, id: TaskId) -> Result<(), EngineError> {
        self.delete(id.into(), Cascade::Refuse).await.map(drop)
    }

    /// Runs a task manually, as if this had occurred, whether or not anything did. A one-time task
    /// is deleted by that. A disabled task does not run. The log names the user who ran it, `by`,
    /// unless the engine had to wait for the platform.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when there is no enabled task of that number;
    /// [`EngineError::TooFast`]; [`EngineError::Forbidden`] when the owner may not receive this;
    /// [`EngineError::Full`] when the owner has as many pending deliveries as allowed;
    /// [`EmitError::Render`](crate::EmitError::Render); and as [`emit`](Engine::emit).
    pub async fn run_task(
        &self,
        id: TaskId,
        about: RunContext,
        by: Option<OwnerId>,
    ) -> Result<Emitted, EngineError> {
        let owner = self.owner_of(RecordId::Task(id)).await?;
        let owner = owner.ok_or(EngineError::NotFound)?;
        self.run((id, owner), about, Vec::new(), by).await
    }
}

impl Record for Task {
    type Id = TaskId;

    const PARENT: Field = Field::Owner;

    /// An edit to another webhook may change the owner.
    async fn validate(
        &self,
        _: Option<&Self>,
        owner: Option<OwnerId>,
        engine: &Engine,
    ) -> Result<OwnerId, EngineError> {
        let missing = EngineError::Dangling(Self::PARENT);
        let Action::Send { webhook, .. } = &self.action else {
            return Err(missing);
        };
        match owner {
            Some(owner) => Ok(owner),
            None => {
                let owner = engine.owner_of(RecordId::Webhook(*webhook)).await?;
                owner.ok_or(missing)
            }
        }
    }

    fn runs_once(&self) -> bool {
        self.delete_after_run
    }
}
