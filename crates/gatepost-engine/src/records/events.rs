//! Events (SPEC 2.4).

use gatepost_storage::webhooks::{Cascade, EventQuery, EventRow, RecordId};
use webhook_model::{Event, EventId, Field, Invalid, OwnerId, Target};

use super::changes::Record;
use super::run_context::{RunContext, TriggerInput};
use crate::emit::Emitted;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Creates an event that the catalog allows, on an object that the owner of its task may watch.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] when the catalog does not allow it, [`EngineError::Dangling`] when
    /// its task or object does not exist; [`EngineError::Forbidden`] when the owner may not watch
    /// the object; [`EngineError::Full`], [`EngineError::TooFast`], [`EngineError::Platform`],
    /// failures of the store.
    pub async fn create_event(&self, event: &Event) -> Result<EventRow, EngineError> {
        self.create(event).await
    }

    /// Checks whether this user may watch the event's object, as
    /// [`create_event`](Self::create_event) does, for a form that offers only such objects. Does
    /// not check the event's task.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`] in words, [`EngineError::Dangling`] when there is no such object,
    /// [`EngineError::TooFast`] after 3,000 questions about this user in a minute that the platform
    /// did not answer immediately, [`EngineError::Platform`].
    pub async fn may_watch(&self, owner: OwnerId, event: &Event) -> Result<(), EngineError> {
        self.core.access.may_watch(owner, event).await
    }

    /// Returns an event.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn event(&self, id: EventId) -> Result<Option<EventRow>, EngineError> {
        Ok(self.core.store.event(id).await?)
    }

    /// Returns one page of events.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_events(&self, query: &EventQuery) -> Result<Vec<EventRow>, EngineError> {
        Ok(self.core.store.list_events(query).await?)
    }

    /// Changes an event. `edit` may be called again if the event was changed in between.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], and as [`create_event`](Self::create_event).
    pub async fn edit_event(
        &self,
        id: EventId,
        edit: impl FnMut(&mut Event) -> Result<(), Invalid> + Send,
    ) -> Result<EventRow, EngineError> {
        Ok(self.edit(id, edit).await?.1)
    }

    /// Deletes an event.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], failures of the store.
    pub async fn delete_event(&self, id: EventId) -> Result<(), EngineError> {
        self.delete(id.into(), Cascade::Refuse).await.map(drop)
    }

    /// Returns what the task of an event would run about, if the event was triggered as
    /// [`trigger_event`](Engine::trigger_event) does: for an [`example`](Engine::example).
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when there is no such event, failures of the store.
    pub async fn trigger_about(
        &self,
        id: EventId,
        object: Option<String>,
        brought: TriggerInput,
    ) -> Result<RunContext, EngineError> {
        let row = self.event(id).await?.ok_or(EngineError::NotFound)?;
        Ok(brought.about(&row.value, object))
    }

    /// Triggers an event manually: runs its task as if the event had occurred with this input,
    /// whatever its filter requires. `object` is the name of the event's object, if the platform
    /// knows it; for an event on a tag, the tag. `by` is as for [`run_task`](Engine::run_task).
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when there is no such event or its task is disabled, and as
    /// [`run_task`](Engine::run_task).
    pub async fn trigger_event(
        &self,
        id: EventId,
        object: Option<String>,
        brought: TriggerInput,
        by: Option<OwnerId>,
    ) -> Result<Emitted, EngineError> {
        let row = self.event(id).await?.ok_or(EngineError::NotFound)?;
        let about = brought.about(&row.value, object);
        let tags = match row.value.target {
            Target::Tag(tag) => vec![tag],
            Target::Instance(_) | Target::Generic => Vec::new(),
        };
        self.run((row.value.task, row.owner), about, tags, by).await
    }
}

impl Record for Event {
    type Id = EventId;

    const PARENT: Field = Field::Task;

    /// An edit to another task may change the owner.
    async fn validate(
        &self,
        before: Option<&Self>,
        owner: Option<OwnerId>,
        engine: &Engine,
    ) -> Result<OwnerId, EngineError> {
        engine.catalog().check(self)?;
        let owner = match owner {
            Some(owner) => owner,
            None => {
                let owner = engine.owner_of(RecordId::Task(self.task)).await?;
                owner.ok_or(EngineError::Dangling(Self::PARENT))?
            }
        };
        if !before.is_some_and(|before| is_switched_off(before, self)) {
            engine.may_watch(owner, self).await?;
        }
        Ok(owner)
    }
}

/// Whether the edit only disables the event: this is allowed even if its object may no longer be
/// watched.
fn is_switched_off(before: &Event, after: &Event) -> bool {
    let watched = |event: &Event| {
        let words = (event.event_type.clone(), event.event.clone());
        (words, event.target, event.task)
    };
    !after.enabled && watched(before) == watched(after)
}
