//! Tasks (SPEC 2.3).

use gatepost_engine::{Emitted, EngineError};
use gatepost_storage::webhooks::{DeliveryId, RecordId, TaskQuery, TaskRow};
use webhook_model::{Action, Field, Invalid, Task, TaskId, WebhookId};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::changes::Changes;
use crate::completion::{Answer, Edit, contain};
use crate::error::ManageError;
use crate::manual_occurrence::About;
use crate::subject::Subject;
use crate::tables::TASKS;
use crate::visible_rows::{Listed, Whose};

impl Actor {
    /// Creates a task. It belongs to its webhook's owner, whose rights and quotas apply; the
    /// creator is only for display.
    ///
    /// # Errors
    /// [`ManageError::Forbidden`] if the caller may not manage its creator,
    /// [`ManageError::Dangling`] if the webhook does not exist or the caller may not see it,
    /// [`ManageError::Refused`], [`ManageError::Full`], [`ManageError::TooFast`], failures of store
    /// and accounts.
    pub fn create_task(&self, task: Task) -> Answer<'_, TaskRow> {
        self.change(TASKS, Operation::Create, |actor| async move {
            if !actor.manages(task.creator).await? {
                return Err(ManageError::Forbidden);
            }
            let owner = match webhook_of(&task) {
                Some(webhook) => actor.usable_webhook(webhook).await?,
                None => task.creator,
            };
            let row = actor.engine().create_task(&task).await;
            let row = row.map_err(actor.about(owner))?;
            Ok((of_task(&row), row))
        })
    }

    /// Returns a task.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`], failures of store and accounts.
    pub fn task(&self, id: TaskId) -> Answer<'_, TaskRow> {
        contain(self.own_task(id))
    }

    /// Returns one page of the tasks that match and that the caller may see.
    ///
    /// # Errors
    /// [`ManageError::TooFast`] if too many lists of the caller wait; failures of store and
    /// accounts.
    pub fn tasks<'a>(&'a self, query: &'a TaskQuery) -> Answer<'a, Listed<TaskRow, TaskId>> {
        contain(async move {
            let read = |scope, page| {
                let query = TaskQuery {
                    scope,
                    page,
                    ..query.clone()
                };
                async move { self.engine().list_tasks(&query).await }
            };
            let whose = |row: &TaskRow| Some(Whose::of(row.owner));
            self.listed(query.scope, query.page, |row| row.id, whose, read)
                .await
        })
    }

    /// Changes a task. Its creator stays; with another owner's webhook it becomes that owner's.
    /// `edit` may be called several times.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`], [`ManageError::Invalid`], refusals
    /// of `edit`, and the errors of [`create_task`](Self::create_task).
    pub fn edit_task(
        &self,
        id: TaskId,
        edit: impl FnMut(&mut Task) -> Result<(), Invalid> + Send + 'static,
    ) -> Answer<'_, TaskRow> {
        self.change_task(id, Operation::Update, Box::new(edit))
    }

    /// Deletes a task and its events, even if it cannot be read. Its deliveries continue.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub fn delete_task(&self, id: TaskId) -> Answer<'_, ()> {
        self.change(TASKS, Operation::Delete, move |actor| async move {
            let owner = actor.own_record(RecordId::Task(id)).await?;
            let read = actor.engine().task(id).await.ok().flatten();
            let subject = read.map(|row| of_task(&row));
            actor.engine().delete_task(id).await?;
            Ok((subject.unwrap_or_else(|| Subject::new(id, owner, "")), ()))
        })
    }

    /// Enables a task.
    ///
    /// # Errors
    /// The errors of [`edit_task`](Self::edit_task).
    pub fn enable_task(&self, id: TaskId) -> Answer<'_, TaskRow> {
        self.set_task(id, Operation::Enable, true)
    }

    /// Disables a task: neither events nor users can run it.
    ///
    /// # Errors
    /// The errors of [`edit_task`](Self::edit_task).
    pub fn disable_task(&self, id: TaskId) -> Answer<'_, TaskRow> {
        self.set_task(id, Operation::Disable, false)
    }

    /// Runs a task manually. A one-time task is then deleted.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`], [`ManageError::Disabled`],
    /// [`ManageError::Message`], [`ManageError::Refused`], [`ManageError::Full`],
    /// [`ManageError::TooFast`], failures of store and accounts.
    pub fn run_task(&self, id: TaskId) -> Answer<'_, Emitted> {
        self.run_task_about(id, About::default())
    }

    /// Runs a task as [`run_task`](Self::run_task) does, for this occurrence.
    ///
    /// # Errors
    /// The errors of [`run_task`](Self::run_task); [`ManageError::NoSuchObject`], and
    /// [`ManageError::Invalid`] for an event that is not in the catalog.
    pub fn run_task_about(&self, id: TaskId, about: About) -> Answer<'_, Emitted> {
        self.change(TASKS, Operation::Run, move |actor| async move {
            let row = actor.own_task(id).await?;
            let (owner, subject) = (row.owner, of_task(&row));
            let about = actor.known(owner, about).await?;
            let by = Some(actor.principal.owner);
            match actor.engine().run_task(id, about, by).await {
                Err(EngineError::NotFound) => Err(ManageError::Disabled),
                other => Ok((subject, other.map_err(actor.about(owner))?)),
            }
        })
    }

    /// Sends a task's message as a test, rendered for this occurrence: through queue and log, under
    /// an id that marks it as a test. The task need not be enabled, is not deleted if it runs once,
    /// and does not count as run.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`], [`ManageError::Invalid`] for an
    /// event that is not in the catalog, [`ManageError::NoSuchObject`], [`ManageError::Message`],
    /// [`ManageError::Refused`], [`ManageError::Full`], [`ManageError::TooFast`], failures of store
    /// and accounts.
    pub fn test_task(&self, id: TaskId, about: About) -> Answer<'_, DeliveryId> {
        self.change(TASKS, Operation::Test, move |actor| async move {
            let row = actor.own_task(id).await?;
            let about = actor.known(row.owner, about).await?;
            let sent = actor.engine().test_task(id, about).await;
            Ok((of_task(&row), sent.map_err(actor.about(row.owner))?))
        })
    }

    fn change_task(
        &self,
        id: TaskId,
        operation: Operation,
        mut edit: Edit<Task>,
    ) -> Answer<'_, TaskRow> {
        self.change(TASKS, operation, move |actor| async move {
            let row = actor.own_task(id).await?;
            let (mut owner, mut trial) = (row.owner, row.value);
            let judged = webhook_of(&trial);
            edit(&mut trial)?;
            let usable = webhook_of(&trial);
            if let Some(webhook) = usable.filter(|_| usable != judged) {
                owner = actor.usable_webhook(webhook).await?;
            }
            let may = move |webhook| webhook == judged || webhook == usable;
            let mut before = None;
            let edited = actor.engine().edit_task(id, |task| {
                before = Some(task.clone());
                // If somebody else chose another webhook in the meantime, its owner is unknown.
                let (creator, was_judged) = (task.creator, may(webhook_of(task)));
                edit(task)?;
                task.creator = creator;
                if was_judged && may(webhook_of(task)) {
                    Ok(())
                } else {
                    Err(Invalid::new(Field::Owner, "does not exist"))
                }
            });
            let row = edited.await.map_err(actor.about(owner))?;
            let changes = before.map(|before| Changes::of_task(&before, &row.value));
            Ok((of_task(&row).with(changes.unwrap_or_default()), row))
        })
    }

    fn set_task(&self, id: TaskId, operation: Operation, enabled: bool) -> Answer<'_, TaskRow> {
        let set = move |task: &mut Task| {
            task.enabled = enabled;
            Ok(())
        };
        self.change_task(id, operation, Box::new(set))
    }
}

pub(crate) fn of_task(row: &TaskRow) -> Subject {
    Subject::new(row.id, row.owner, row.value.name.as_str())
}

pub(crate) fn webhook_of(task: &Task) -> Option<WebhookId> {
    match &task.action {
        Action::Send { webhook, .. } => Some(*webhook),
        _ => None,
    }
}
