//! Events.

use gatepost_storage::Row;
use gatepost_storage::webhooks::EventQuery;
use webhook_model::{Event, EventId, Invalid, OwnerId};

use super::handle::Engine;
use crate::emit::Emitted;
use crate::error::EngineError;
use crate::records::brought::Brought;
use crate::records::run_about::RunAbout;

impl Engine {
    /// Creates an event that the catalog allows, on what the owner of its task may watch.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] when the catalog does not allow it, [`EngineError::Dangling`] when
    /// its task does not exist, or what it is about; [`EngineError::Forbidden`] when the owner may
    /// not watch that; [`EngineError::Full`], [`EngineError::TooFast`], [`EngineError::Platform`],
    /// failures of the store.
    pub async fn create_event(&self, event: &Event) -> Result<Row<EventId, Event>, EngineError> {
        self.0.records.events.create(event).await
    }

    /// Whether this user may watch what the event is about; its task is not looked at. What
    /// [`create_event`](Self::create_event) asks, for a form that offers only that.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`] in words, [`EngineError::Dangling`] when there is no such object,
    /// [`EngineError::TooFast`] after 3,000 questions about this user in a minute that the platform
    /// did not answer at once, [`EngineError::Platform`].
    pub async fn may_watch(&self, owner: OwnerId, event: &Event) -> Result<(), EngineError> {
        let judge = &self.0.records.events.allowance.judge;
        judge.may_watch(owner, event).await
    }

    /// An event.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn event(&self, id: EventId) -> Result<Option<Row<EventId, Event>>, EngineError> {
        self.0.records.events.get(id).await
    }

    /// One page of events.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_events(
        &self,
        query: &EventQuery,
    ) -> Result<Vec<Row<EventId, Event>>, EngineError> {
        self.0.records.events.list(query).await
    }

    /// Changes an event. `edit` may be called again if the event was changed by others in between.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], and as [`create_event`](Self::create_event).
    pub async fn edit_event(
        &self,
        id: EventId,
        edit: impl FnMut(&mut Event) -> Result<(), Invalid> + Send,
    ) -> Result<Row<EventId, Event>, EngineError> {
        self.0.records.events.edit(id, edit).await
    }

    /// Deletes an event.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], failures of the store.
    pub async fn delete_event(&self, id: EventId) -> Result<(), EngineError> {
        self.0.records.events.delete(id).await
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
        self.0.records.events.about(id, object, brought).await
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
        let events = &self.0.records.events;
        events.trigger(id, object, brought, by).await
    }
}
