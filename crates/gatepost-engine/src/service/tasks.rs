//! Tasks (SPEC 2.3).

use gatepost_storage::ErrorKind;
use gatepost_storage::webhooks::{Origin, TaskQuery, TaskRow};
use webhook_model::{EventName, EventType, Field, Invalid, Occurrence, Task, TaskId};

use super::edit;
use crate::emit::{Emitted, What};
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Makes a task.
    ///
    /// # Errors
    /// [`EngineError::Dangling`] when its webhook does not exist, failures of the store.
    pub async fn create_task(&self, task: &Task) -> Result<TaskRow, EngineError> {
        self.inner
            .store
            .insert_task(task, self.inner.now())
            .await
            .map_err(dangling)
    }

    /// A task.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn task(&self, id: TaskId) -> Result<Option<TaskRow>, EngineError> {
        self.inner.flush_runs().await;
        Ok(self.inner.store.task(id).await?)
    }

    /// One page of tasks.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>, EngineError> {
        self.inner.flush_runs().await;
        Ok(self.inner.store.list_tasks(query).await?)
    }

    /// Changes a task. `edit` may be called again if the task was changed by others meanwhile.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], [`EngineError::Dangling`], failures of the store, and what `edit`
    /// refuses.
    pub async fn edit_task(
        &self,
        id: TaskId,
        mut edit: impl FnMut(&mut Task) -> Result<(), Invalid> + Send,
    ) -> Result<TaskRow, EngineError> {
        edit!(self, task, update_task, dangling, id, |row| edit(
            &mut row.task
        )?)
    }

    /// Deletes a task and its events. Deliveries that it made go on.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], failures of the store.
    pub async fn delete_task(&self, id: TaskId) -> Result<(), EngineError> {
        Ok(self.inner.store.delete_task(id, self.inner.now()).await?)
    }

    /// Runs a task by hand, whether or not anything occurred. A one-time task is deleted by that. A
    /// disabled task does not run.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when there is no enabled task of that number, and as
    /// [`emit`](Engine::emit).
    pub async fn run_task(&self, id: TaskId) -> Result<Emitted, EngineError> {
        let nothing = Occurrence::new(
            by_hand::<EventType>("tasks")?,
            by_hand::<EventName>("execute")?,
        );
        let emitted = self
            .emit_apart(nothing, What::Task(id), Origin::Direct)
            .await?;
        if emitted.deliveries.is_empty() {
            Err(EngineError::NotFound)
        } else {
            Ok(emitted)
        }
    }
}

/// What a task that is run by hand is told to have been run by.
fn by_hand<T: std::str::FromStr<Err = Invalid>>(word: &str) -> Result<T, Invalid> {
    word.parse()
}

fn dangling(error: gatepost_storage::StoreError) -> EngineError {
    match error.kind() {
        ErrorKind::Invalid => EngineError::Dangling(Field::Owner),
        _ => error.into(),
    }
}
