//! Tasks (SPEC 2.3).

use std::collections::BTreeMap;
use std::sync::Arc;

use gatepost_storage::webhooks::{Found, RecordHead, RecordId, TaskQuery, TaskRow, WebhookStore};
use gatepost_storage::{ErrorKind, StoreError};
use webhook_model::{Action, Field, Invalid, OwnerId, Task, TaskId};

use super::allowance::{Admitted, Allowance, Kind};
use super::by_hand::ByHand;
use super::run_about::RunAbout;
use crate::clock::EngineClock;
use crate::edit::edit;
use crate::emit::Emitted;
use crate::error::EngineError;

#[derive(Debug)]
pub(crate) struct Tasks {
    pub store: Arc<dyn WebhookStore>,
    pub clock: Arc<EngineClock>,
    pub allowance: Allowance,
    pub by_hand: ByHand,
}

impl Tasks {
    pub(crate) async fn create(&self, task: &Task) -> Result<TaskRow, EngineError> {
        let owner = self.owner(task).await?;
        let mut admitted = Admitted::default();
        let at_most = self.allowance.of(owner, Kind::Tasks, &mut admitted).await?;
        self.pace_deletion(task, owner).await?;
        let inserted = self
            .store
            .insert_task(task, at_most, self.clock.now()?)
            .await;
        let inserted = inserted.map_err(dangling);
        self.allowance
            .explained(inserted, Kind::Tasks, &admitted)
            .await
    }

    pub(crate) async fn get(&self, id: TaskId) -> Result<Option<TaskRow>, EngineError> {
        Ok(self.store.task(id).await?)
    }

    pub(crate) async fn named(
        &self,
        ids: &[TaskId],
    ) -> Result<BTreeMap<TaskId, RecordHead>, EngineError> {
        let records: Vec<RecordId> = ids.iter().map(|id| RecordId::Task(*id)).collect();
        let heads = self.store.record_heads(&records).await?.into_iter();
        let named = |(id, head): (&TaskId, Found<RecordHead>)| {
            let head = head.ok()?.filter(|head| head.name.is_some())?;
            Some((*id, head))
        };
        Ok(ids.iter().zip(heads).filter_map(named).collect())
    }

    pub(crate) async fn list(&self, query: &TaskQuery) -> Result<Vec<TaskRow>, EngineError> {
        Ok(self.store.list_tasks(query).await?)
    }

    pub(crate) async fn edit(
        &self,
        id: TaskId,
        edit: impl FnMut(&mut Task) -> Result<(), Invalid> + Send,
    ) -> Result<TaskRow, EngineError> {
        let mut admitted = Admitted::default();
        let edited = self.edit_row(id, edit, &mut admitted).await;
        self.allowance
            .explained(edited, Kind::Tasks, &admitted)
            .await
    }

    pub(crate) async fn delete(&self, id: TaskId) -> Result<(), EngineError> {
        self.allowance.of_deletion(RecordId::Task(id)).await?;
        Ok(self.store.delete_task(id, self.clock.now()?).await?)
    }

    pub(crate) async fn run(
        &self,
        id: TaskId,
        about: RunAbout,
        by: Option<OwnerId>,
    ) -> Result<Emitted, EngineError> {
        let owner = self.store.owner_of(RecordId::Task(id)).await?;
        let owner = owner.ok_or(EngineError::NotFound)?;
        let (event_type, event) = about.words()?;
        let mut occurrence = self.by_hand.occurrence(event_type, event, owner).await?;
        occurrence.object = about.object;
        occurrence.variables = about.variables;
        occurrence.data = about.data;
        let by = (by, about.context);
        self.by_hand.run(id, owner, occurrence, by).await
    }

    async fn edit_row(
        &self,
        id: TaskId,
        mut edit: impl FnMut(&mut Task) -> Result<(), Invalid> + Send,
        admitted: &mut Admitted,
    ) -> Result<TaskRow, EngineError> {
        let mut is_paced = false;
        edit!(
            self,
            task,
            update_task,
            dangling,
            id,
            |row| edit(&mut row.value)?,
            {
                // With another webhook it gets another owner.
                let owner = self.owner(&row.value).await?;
                let owners = (row.owner, owner);
                let at_most = self.allowance.of_edited(owners, Kind::Tasks, admitted);
                let at_most = at_most.await?;
                // However often it is tried, it is deleted once.
                if !is_paced {
                    self.pace_deletion(&row.value, owner).await?;
                    is_paced = true;
                }
                at_most
            }
        )
    }

    /// The owner of its webhook.
    async fn owner(&self, task: &Task) -> Result<OwnerId, EngineError> {
        let missing = EngineError::Dangling(Field::Owner);
        let Action::Send { webhook, .. } = &task.action else {
            return Err(missing);
        };
        let owner = self.allowance.owner_of(RecordId::Webhook(*webhook));
        owner.await?.ok_or(missing)
    }

    /// A one-time task is changed once more when its run deletes it.
    async fn pace_deletion(&self, task: &Task, owner: OwnerId) -> Result<(), EngineError> {
        if task.delete_after_run {
            self.allowance.judge.pace_change(owner).await?;
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
