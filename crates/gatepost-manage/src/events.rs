//! Events (SPEC 2.4). They belong to whoever the task belongs to.

use std::collections::HashMap;

use gatepost_engine::{Emitted, EngineError};
use gatepost_storage::webhooks::{EventQuery, TaskQuery, TaskRow};
use gatepost_storage::{Page, Row};
use webhook_model::{Event, EventId, Field, Invalid, Target, TaskId};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::error::ManageError;
use crate::finish::contain;
use crate::listed::{Judge, Listed, STRIDE, fill, seen};
use crate::tables::EVENTS;

impl Actor {
    /// Makes an event that the catalog allows.
    ///
    /// # Errors
    /// [`ManageError::Dangling`] when there is no such task or the caller may not see it,
    /// [`ManageError::Invalid`], failures of store and accounts.
    pub async fn create_event(&self, event: Event) -> Result<Row<EventId, Event>, ManageError> {
        self.change(EVENTS, Operation::Create, |actor| async move {
            actor.usable_task(event.task).await?;
            let row = actor.engine().create_event(&event).await?;
            Ok((row.id.0, row))
        })
        .await
    }

    /// An event, and the task that it runs.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn event(&self, id: EventId) -> Result<(Row<EventId, Event>, TaskRow), ManageError> {
        contain(self.own_event(id)).await
    }

    /// One page of the events that match.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn events(
        &self,
        query: &EventQuery,
    ) -> Result<Listed<Row<EventId, Event>, EventId>, ManageError> {
        contain(async {
            let mut judge = self.tasks_to_judge_by(query.task).await?;
            if judge.is_complete && !judge.known.values().any(|may| *may) {
                return Ok(Listed::nothing());
            }
            let stride = (!self.sees_all()).then_some(STRIDE);
            fill(
                query.page,
                stride,
                |row| row.id,
                &mut judge,
                |page| {
                    let query = EventQuery {
                        page,
                        ..query.clone()
                    };
                    async move { self.engine().list_events(&query).await }
                },
            )
            .await
        })
        .await
    }

    /// Changes an event. `edit` may be called several times.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Invalid`], [`ManageError::Dangling`] when it names
    /// a task that does not exist or that the caller may not see, failures of store and accounts,
    /// and what `edit` refuses.
    pub async fn edit_event(
        &self,
        id: EventId,
        mut edit: impl FnMut(&mut Event) -> Result<(), Invalid> + Send + 'static,
    ) -> Result<Row<EventId, Event>, ManageError> {
        self.change(EVENTS, Operation::Update, move |actor| async move {
            let mut trial = actor.own_event(id).await?.0.value;
            let before = trial.task;
            edit(&mut trial)?;
            let usable = trial.task;
            if usable != before {
                actor.usable_task(usable).await?;
            }
            let edited = actor.engine().edit_event(id, |event| {
                let before = event.task;
                edit(event)?;
                if event.task == before || event.task == usable {
                    Ok(())
                } else {
                    Err(Invalid::new(Field::Task, "does not exist"))
                }
            });
            Ok((id.0, edited.await?))
        })
        .await
    }

    /// Deletes an event. Its task stays.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn delete_event(&self, id: EventId) -> Result<(), ManageError> {
        self.change(EVENTS, Operation::Delete, move |actor| async move {
            actor.own_event(id).await?;
            actor.engine().delete_event(id).await?;
            Ok((id.0, ()))
        })
        .await
    }

    /// Lets an event run its task.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn enable_event(&self, id: EventId) -> Result<Row<EventId, Event>, ManageError> {
        self.set_event(id, Operation::Enable, true).await
    }

    /// Keeps an event from running its task.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn disable_event(&self, id: EventId) -> Result<Row<EventId, Event>, ManageError> {
        self.set_event(id, Operation::Disable, false).await
    }

    /// Triggers an event manually: runs its task as if it had occurred, with these variables. What
    /// its object is called is asked of the platform's [`Directory`](crate::Directory).
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Disabled`] when its task is,
    /// [`ManageError::Message`], failures of store and accounts.
    pub async fn trigger_event(
        &self,
        id: EventId,
        variables: Vec<(String, String)>,
    ) -> Result<Emitted, ManageError> {
        self.change(EVENTS, Operation::Trigger, move |actor| async move {
            let event = actor.own_event(id).await?.0.value;
            let object = match event.target {
                Target::Instance(object) => actor.name(event.event_type.as_str(), object.0).await,
                Target::Tag(_) | Target::Generic => None,
            };
            match actor.engine().trigger_event(id, object, variables).await {
                Err(EngineError::NotFound) => Err(ManageError::Disabled),
                other => Ok((id.0, other?)),
            }
        })
        .await
    }

    async fn set_event(
        &self,
        id: EventId,
        operation: Operation,
        enabled: bool,
    ) -> Result<Row<EventId, Event>, ManageError> {
        self.change(EVENTS, operation, move |actor| async move {
            actor.own_event(id).await?;
            let edited = actor.engine().edit_event(id, |event| {
                event.enabled = enabled;
                Ok(())
            });
            Ok((id.0, edited.await?))
        })
        .await
    }

    /// The event and its task, if the caller may see the task.
    async fn own_event(&self, id: EventId) -> Result<(Row<EventId, Event>, TaskRow), ManageError> {
        let row = self.engine().event(id).await?;
        let row = row.ok_or(ManageError::NotFound)?;
        let task = self.own_task(row.value.task).await?;
        Ok((row, task))
    }

    /// For a list of the events of all tasks, the caller's tasks are read first: that is cheaper
    /// than to ask for the task of each event.
    async fn tasks_to_judge_by(&self, task: Option<TaskId>) -> Result<ByTask<'_>, ManageError> {
        let mut judge = ByTask {
            actor: self,
            known: HashMap::new(),
            is_complete: false,
        };
        if self.sees_all() {
            return Ok(judge);
        }
        if let Some(task) = task {
            let may = seen(self.own_task(task).await)?;
            judge.known.insert(task, may);
            judge.is_complete = true;
            return Ok(judge);
        }
        let query = TaskQuery {
            creator: None,
            webhook: None,
            name: None,
            page: Page::newest(STRIDE),
        };
        let tasks = self.visible_tasks(&query).await?;
        judge.is_complete = tasks.next.is_none();
        judge.known = tasks.rows.iter().map(|row| (row.id, true)).collect();
        Ok(judge)
    }

    /// An event may run only a task that its maker may see.
    async fn usable_task(&self, id: TaskId) -> Result<(), ManageError> {
        match self.own_task(id).await {
            Err(ManageError::NotFound) => Err(ManageError::Dangling {
                field: Field::Task.as_str(),
            }),
            other => other.map(drop),
        }
    }
}

/// By the creator of the task; each task is asked for once.
struct ByTask<'a> {
    actor: &'a Actor,
    known: HashMap<TaskId, bool>,
    /// Whether a task that is not known is one that the caller may not see.
    is_complete: bool,
}

impl Judge<Row<EventId, Event>> for ByTask<'_> {
    async fn may_see(&mut self, row: &Row<EventId, Event>) -> Result<bool, ManageError> {
        if self.actor.sees_all() {
            return Ok(true);
        }
        let task = row.value.task;
        match self.known.get(&task) {
            Some(known) => Ok(*known),
            None if self.is_complete => Ok(false),
            None => {
                let may = seen(self.actor.own_task(task).await)?;
                self.known.insert(task, may);
                Ok(may)
            }
        }
    }
}
