//! Events (SPEC 2.4).

use gatepost_storage::webhooks::{EventQuery, RecordId};
use gatepost_storage::{ErrorKind, Row, StoreError};
use webhook_model::{Event, EventId, Field, Invalid, OwnerId, Target, TaskId};

use super::allowance::{Allowance, Kind};
use super::brought::Brought;
use super::run_about::RunAbout;
use crate::edit::edit;
use crate::emit::Emitted;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Creates an event that the catalog allows, on what the owner of its task may watch.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] when the catalog does not allow it, [`EngineError::Dangling`] when
    /// its task does not exist, or what it is about; [`EngineError::Forbidden`] when the owner may
    /// not watch that; [`EngineError::Full`], [`EngineError::TooFast`], [`EngineError::Platform`],
    /// failures of the store.
    pub async fn create_event(&self, event: &Event) -> Result<Row<EventId, Event>, EngineError> {
        self.catalog().check(event)?;
        let owner = self.task_owner(event.task).await?;
        self.may_watch(owner, event).await?;
        let mut allowance = Allowance::new(&self.core, Kind::Events);
        let at_most = allowance.of(owner).await?;
        let now = self.core.clock.now()?;
        let inserted = self.core.store.insert_event(event, at_most, now).await;
        allowance.explained(inserted.map_err(dangling)).await
    }

    /// Whether this user may watch what the event is about; its task is not looked at. What
    /// [`create_event`](Self::create_event) asks, for a form that offers only that.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`] in words, [`EngineError::Dangling`] when there is no such object,
    /// [`EngineError::TooFast`] after 3,000 questions about this user in a minute that the platform
    /// did not answer at once, [`EngineError::Platform`].
    pub async fn may_watch(&self, owner: OwnerId, event: &Event) -> Result<(), EngineError> {
        self.core.access.may_watch(owner, event).await
    }

    /// An event.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn event(&self, id: EventId) -> Result<Option<Row<EventId, Event>>, EngineError> {
        Ok(self.core.store.event(id).await?)
    }

    /// One page of events.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_events(
        &self,
        query: &EventQuery,
    ) -> Result<Vec<Row<EventId, Event>>, EngineError> {
        Ok(self.core.store.list_events(query).await?)
    }

    /// Changes an event. `edit` may be called again if the event was changed by others in between.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], and as [`create_event`](Self::create_event).
    pub async fn edit_event(
        &self,
        id: EventId,
        mut edit: impl FnMut(&mut Event) -> Result<(), Invalid> + Send,
    ) -> Result<Row<EventId, Event>, EngineError> {
        let mut allowance = Allowance::new(&self.core, Kind::Events);
        let edited = async {
            edit!(
                self.core,
                event,
                update_event,
                dangling,
                id,
                |row| {
                    let before = row.value.clone();
                    edit(&mut row.value)?;
                    self.catalog().check(&row.value)?;
                    if !is_switched_off(&before, &row.value) {
                        let owner = self.task_owner(row.value.task).await?;
                        self.may_watch(owner, &row.value).await?;
                    }
                },
                {
                    // With another task it may get another owner.
                    let owner = self.task_owner(row.value.task).await?;
                    allowance.of_edited(row.owner, owner).await?
                }
            )
        }
        .await;
        allowance.explained(edited).await
    }

    /// Deletes an event.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], failures of the store.
    pub async fn delete_event(&self, id: EventId) -> Result<(), EngineError> {
        self.admit_deletion(RecordId::Event(id)).await?;
        let now = self.core.clock.now()?;
        Ok(self.core.store.delete_event(id, now).await?)
    }

    /// What the task of an event would run about, if the event was triggered as
    /// [`trigger_event`](Engine::trigger_event) does: for an [`example`](Engine::example).
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when there is no such event, failures of the store.
    pub async fn trigger_about(
        &self,
        id: EventId,
        object: Option<String>,
        brought: Brought,
    ) -> Result<RunAbout, EngineError> {
        let row = self.event(id).await?.ok_or(EngineError::NotFound)?;
        Ok(brought.about(&row.value, object))
    }

    /// Triggers an event by hand: runs its task as if it had occurred and brought this, whatever
    /// its filter asks for. `object` names what it is about, where the platform knows: of an event
    /// on a tag, the tag. `by` is as for [`run_task`](Engine::run_task).
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when there is no such event or its task is disabled, and as
    /// [`run_task`](Engine::run_task).
    pub async fn trigger_event(
        &self,
        id: EventId,
        object: Option<String>,
        brought: Brought,
        by: Option<OwnerId>,
    ) -> Result<Emitted, EngineError> {
        let row = self.event(id).await?.ok_or(EngineError::NotFound)?;
        let about = brought.about(&row.value, object);
        let tags = match row.value.target {
            Target::Tag(tag) => vec![tag],
            Target::Instance(_) | Target::Generic => Vec::new(),
        };
        let (event_type, name) = about.words()?;
        let occurrence = self.manual_occurrence(event_type, name, row.owner).await?;
        let mut occurrence = occurrence.with_tags(tags).with_variables(about.variables);
        occurrence.object = about.object;
        occurrence.data = about.data;
        let by = (by, about.context);
        let run = self.run_manually(row.value.task, row.owner, occurrence, by);
        run.await
    }

    /// The owner of the task.
    async fn task_owner(&self, task: TaskId) -> Result<OwnerId, EngineError> {
        let owner = self.owner_of(RecordId::Task(task)).await?;
        owner.ok_or(EngineError::Dangling(Field::Task))
    }
}

/// What nobody may watch any more can still be switched off.
fn is_switched_off(before: &Event, after: &Event) -> bool {
    let watched = |event: &Event| {
        let words = (event.event_type.clone(), event.event.clone());
        (words, event.target, event.task)
    };
    !after.enabled && watched(before) == watched(after)
}

fn dangling(error: StoreError) -> EngineError {
    match error.kind() {
        ErrorKind::Invalid => EngineError::Dangling(Field::Task),
        _ => error.into(),
    }
}
