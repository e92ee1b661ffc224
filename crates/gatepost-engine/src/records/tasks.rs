//! Tasks (SPEC 2.3).

use std::str::FromStr;
use std::sync::Arc;

use gatepost_storage::webhooks::{Origin, TaskQuery, TaskRow, WebhookStore};
use gatepost_storage::{ErrorKind, StoreError};
use webhook_model::{EventName, EventType, Field, Invalid, Occurrence, Task, TaskId};

use crate::clock::EngineClock;
use crate::edit::edit;
use crate::emit::{Emitted, Emitter, Trigger};
use crate::error::EngineError;
use crate::last_runs::LastRuns;

#[derive(Debug)]
pub(crate) struct Tasks {
    pub store: Arc<dyn WebhookStore>,
    pub clock: Arc<EngineClock>,
    pub last_runs: Arc<LastRuns>,
    pub emitter: Arc<Emitter>,
}

impl Tasks {
    pub(crate) async fn create(&self, task: &Task) -> Result<TaskRow, EngineError> {
        let inserted = self.store.insert_task(task, self.clock.now()?).await;
        inserted.map_err(dangling)
    }

    pub(crate) async fn get(&self, id: TaskId) -> Result<Option<TaskRow>, EngineError> {
        self.last_runs.flush().await;
        Ok(self.store.task(id).await?)
    }

    pub(crate) async fn list(&self, query: &TaskQuery) -> Result<Vec<TaskRow>, EngineError> {
        self.last_runs.flush().await;
        Ok(self.store.list_tasks(query).await?)
    }

    pub(crate) async fn edit(
        &self,
        id: TaskId,
        mut edit: impl FnMut(&mut Task) -> Result<(), Invalid> + Send,
    ) -> Result<TaskRow, EngineError> {
        edit!(self, task, update_task, dangling, id, |row| edit(
            &mut row.task
        )?)
    }

    pub(crate) async fn delete(&self, id: TaskId) -> Result<(), EngineError> {
        Ok(self.store.delete_task(id, self.clock.now()?).await?)
    }

    pub(crate) async fn run(&self, id: TaskId) -> Result<Emitted, EngineError> {
        let by_hand = Occurrence::new(word::<EventType>("tasks")?, word::<EventName>("execute")?);
        let run = self
            .emitter
            .emit_detached(by_hand, Trigger::Task(id), Origin::Direct);
        let emitted = run.await?;
        if emitted.deliveries.is_empty() {
            return Err(EngineError::NotFound);
        }
        Ok(emitted)
    }
}

/// What a task that is run by hand counts as run by.
fn word<T: FromStr<Err = Invalid>>(word: &str) -> Result<T, Invalid> {
    word.parse()
}

fn dangling(error: StoreError) -> EngineError {
    match error.kind() {
        ErrorKind::Invalid => EngineError::Dangling(Field::Owner),
        _ => error.into(),
    }
}
