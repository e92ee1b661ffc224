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
    /// Creates a task. It belongs to the owner of its webhook, whoever creates it.
    ///
    /// # Errors
    /// [`EngineError::Dangling`] when its webhook does not exist; [`EngineError::Full`] when the
    /// owner has as many as allowed; [`EngineError::TooFast`] for a system administrator without a
    /// tenant, who makes ten changes a minute, where a one-time task counts as two;
    /// [`EngineError::Platform`], failures of the store.
    pub async fn create_task(&self, task: &Task) -> Result<TaskRow, EngineError> {
        self.create(task).await
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
        edit: impl FnMut(&mut Task) -> Result<(), Invalid> + Send,
    ) -> Result<TaskRow, EngineError> {
        Ok(self.edit(id, edit).await?.1)
    }

    /// Deletes a task and its events. Deliveries that it made go on.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], failures of the store.
    pub async fn delete_task(&self, id: TaskId) -> Result<(), EngineError> {
        self.delete(id.into(), Cascade::Refuse).await.map(drop)
    }

    /// Runs a task by hand, as if this had occurred, whether or not anything did. A one-time task
    /// is deleted by that. A disabled task does not run. The log says who ran it: `by`, unless the
    /// platform had to be waited for.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when there is no enabled task of that number;
    /// [`EngineError::TooFast`]; [`EngineError::Forbidden`] when the owner may not receive this;
    /// [`EngineError::Full`] when as many deliveries of the owner wait as may;
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

    /// With another webhook it gets another owner.
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
