//! Tasks (SPEC 2.3).

use std::collections::{BTreeMap, BTreeSet, HashSet};

use gatepost_engine::{Emitted, EngineError};
use gatepost_storage::Page;
use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState, EventQuery, TaskQuery, TaskRow};
use webhook_model::{Action, Field, Invalid, Task, TaskId, WebhookId};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::error::ManageError;
use crate::finish::contain;
use crate::listed::{ByOwner, Listed, STRIDE, count, fill};
use crate::tables::TASKS;

/// Running deliveries that are looked at to say which tasks run.
const MOST_RUNNING: u32 = 1000;

impl Actor {
    /// Makes a task.
    ///
    /// # Errors
    /// [`ManageError::Forbidden`] when its creator is not the caller's to manage,
    /// [`ManageError::Dangling`] when there is no such webhook or the caller may not see it,
    /// failures of store and accounts.
    pub async fn create_task(&self, task: Task) -> Result<TaskRow, ManageError> {
        self.change(TASKS, Operation::Create, |actor| async move {
            if !actor.manages(task.creator).await? {
                return Err(ManageError::Forbidden);
            }
            if let Some(webhook) = webhook_of(&task) {
                actor.usable_webhook(webhook).await?;
            }
            let row = actor.engine().create_task(&task).await?;
            Ok((row.id.0, row))
        })
        .await
    }

    /// A task.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn task(&self, id: TaskId) -> Result<TaskRow, ManageError> {
        contain(self.own_task(id)).await
    }

    /// One page of the tasks that match.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn tasks(&self, query: &TaskQuery) -> Result<Listed<TaskRow, TaskId>, ManageError> {
        contain(self.visible_tasks(query)).await
    }

    /// The names of those of these tasks that the caller may see.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn task_names(
        &self,
        ids: impl IntoIterator<Item = TaskId>,
    ) -> Result<BTreeMap<TaskId, String>, ManageError> {
        let ids: BTreeSet<_> = ids.into_iter().collect();
        contain(async {
            let mut authority = self.authority();
            let mut names = BTreeMap::new();
            for id in ids {
                if let Some(row) = self.engine().task(id).await?
                    && authority.may_manage(row.task.creator).await?
                {
                    names.insert(id, row.task.name.to_string());
                }
            }
            Ok(names)
        })
        .await
    }

    /// Which of these tasks have a delivery that is being sent at this moment. Of a very busy
    /// system only the newest 1,000 such deliveries are looked at.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn running_tasks(&self, among: &[TaskRow]) -> Result<HashSet<TaskId>, ManageError> {
        if among.is_empty() {
            return Ok(HashSet::new());
        }
        contain(async {
            let query = DeliveryQuery {
                states: vec![DeliveryState::Running],
                ..DeliveryQuery::all(Page::newest(MOST_RUNNING))
            };
            let running = self.engine().list_deliveries(&query).await?;
            let running: HashSet<_> = running.iter().filter_map(|found| found.task).collect();
            let among = among.iter().map(|row| row.id);
            Ok(among.filter(|id| running.contains(id)).collect())
        })
        .await
    }

    /// How many events run a task.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn count_events(&self, id: TaskId) -> Result<u64, ManageError> {
        contain(async {
            self.own_task(id).await?;
            let read = |page| async move {
                let query = EventQuery {
                    task: Some(id),
                    event_type: None,
                    page,
                };
                self.engine().list_events(&query).await
            };
            count(|row| row.id, read).await
        })
        .await
    }

    /// Changes a task. Its creator stays. `edit` may be called several times.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Invalid`], [`ManageError::Dangling`] when it names
    /// a webhook that does not exist or that the caller may not see, failures of store and
    /// accounts, and what `edit` refuses.
    pub async fn edit_task(
        &self,
        id: TaskId,
        mut edit: impl FnMut(&mut Task) -> Result<(), Invalid> + Send + 'static,
    ) -> Result<TaskRow, ManageError> {
        self.change(TASKS, Operation::Update, move |actor| async move {
            let mut trial = actor.own_task(id).await?.task;
            let before = webhook_of(&trial);
            edit(&mut trial)?;
            let usable = webhook_of(&trial).filter(|new| Some(*new) != before);
            if let Some(webhook) = usable {
                actor.usable_webhook(webhook).await?;
            }
            let edited = actor.engine().edit_task(id, |task| {
                let (creator, before) = (task.creator, webhook_of(task));
                edit(task)?;
                task.creator = creator;
                match webhook_of(task) {
                    same if same == before || same == usable => Ok(()),
                    _ => Err(Invalid::new(Field::Owner, "does not exist")),
                }
            });
            Ok((id.0, edited.await?))
        })
        .await
    }

    /// Deletes a task and its events. Deliveries that it made go on.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn delete_task(&self, id: TaskId) -> Result<(), ManageError> {
        self.change(TASKS, Operation::Delete, move |actor| async move {
            actor.own_task(id).await?;
            actor.engine().delete_task(id).await?;
            Ok((id.0, ()))
        })
        .await
    }

    /// Lets events run a task.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn enable_task(&self, id: TaskId) -> Result<TaskRow, ManageError> {
        self.set_task(id, Operation::Enable, true).await
    }

    /// Keeps a task from being run, by events and manually.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn disable_task(&self, id: TaskId) -> Result<TaskRow, ManageError> {
        self.set_task(id, Operation::Disable, false).await
    }

    /// Runs a task manually. A one-time task is deleted by that.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Disabled`], [`ManageError::Message`], failures of
    /// store and accounts.
    pub async fn run_task(&self, id: TaskId) -> Result<Emitted, ManageError> {
        self.change(TASKS, Operation::Run, move |actor| async move {
            actor.own_task(id).await?;
            match actor.engine().run_task(id).await {
                Err(EngineError::NotFound) => Err(ManageError::Disabled),
                other => Ok((id.0, other?)),
            }
        })
        .await
    }

    async fn set_task(
        &self,
        id: TaskId,
        operation: Operation,
        enabled: bool,
    ) -> Result<TaskRow, ManageError> {
        self.change(TASKS, operation, move |actor| async move {
            actor.own_task(id).await?;
            let edited = actor.engine().edit_task(id, |task| {
                task.enabled = enabled;
                Ok(())
            });
            Ok((id.0, edited.await?))
        })
        .await
    }

    /// The task, if the caller may see it.
    pub(crate) async fn own_task(&self, id: TaskId) -> Result<TaskRow, ManageError> {
        let row = self.engine().task(id).await?.ok_or(ManageError::NotFound)?;
        let may = self.manages(row.task.creator).await?;
        may.then_some(row).ok_or(ManageError::NotFound)
    }

    /// A task may send only a webhook that its maker may see.
    async fn usable_webhook(&self, id: WebhookId) -> Result<(), ManageError> {
        match self.own_webhook(id).await {
            Err(ManageError::NotFound) => Err(ManageError::Dangling {
                field: Field::Owner.as_str(),
            }),
            other => other.map(drop),
        }
    }

    pub(crate) async fn visible_tasks(
        &self,
        query: &TaskQuery,
    ) -> Result<Listed<TaskRow, TaskId>, ManageError> {
        let authority = self.authority();
        let only = authority.only();
        let creator = match (query.creator, only) {
            (Some(asked), Some(only)) if asked != only => {
                return Ok(Listed::nothing());
            }
            (asked, only) => asked.or(only),
        };
        let stride = (!self.sees_all() && only.is_none()).then_some(STRIDE);
        let mut judge = ByOwner {
            authority,
            owner: |row: &TaskRow| row.task.creator,
        };
        fill(
            query.page,
            stride,
            |row| row.id,
            &mut judge,
            |page| {
                let query = TaskQuery {
                    creator,
                    page,
                    ..query.clone()
                };
                async move { self.engine().list_tasks(&query).await }
            },
        )
        .await
    }
}

fn webhook_of(task: &Task) -> Option<WebhookId> {
    match &task.action {
        Action::Send { webhook, .. } => Some(*webhook),
        _ => None,
    }
}
