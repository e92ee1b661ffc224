//! Events (SPEC 2.4).

use gatepost_storage::webhooks::{EventQuery, Origin};
use gatepost_storage::{ErrorKind, Row, StoreError};
use webhook_model::{Event, EventId, Field, Invalid, Object, Occurrence, Target};

use super::edit;
use crate::emit::{Emitted, What};
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Makes an event that the catalog allows.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] when the catalog does not allow it, [`EngineError::Dangling`] when
    /// its task does not exist, failures of the store.
    pub async fn create_event(&self, event: &Event) -> Result<Row<EventId, Event>, EngineError> {
        self.inner.catalog.check(event)?;
        self.inner
            .store
            .insert_event(event, self.inner.now())
            .await
            .map_err(dangling)
    }

    /// An event.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn event(&self, id: EventId) -> Result<Option<Row<EventId, Event>>, EngineError> {
        Ok(self.inner.store.event(id).await?)
    }

    /// One page of events.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn list_events(
        &self,
        query: &EventQuery,
    ) -> Result<Vec<Row<EventId, Event>>, EngineError> {
        Ok(self.inner.store.list_events(query).await?)
    }

    /// Changes an event. `edit` may be called again if the event was changed by others meanwhile.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], and as [`create_event`](Self::create_event).
    pub async fn edit_event(
        &self,
        id: EventId,
        mut edit: impl FnMut(&mut Event) -> Result<(), Invalid> + Send,
    ) -> Result<Row<EventId, Event>, EngineError> {
        edit!(self, event, update_event, dangling, id, |row| {
            edit(&mut row.value)?;
            self.inner.catalog.check(&row.value)?;
        })
    }

    /// Deletes an event.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], failures of the store.
    pub async fn delete_event(&self, id: EventId) -> Result<(), EngineError> {
        Ok(self.inner.store.delete_event(id, self.inner.now()).await?)
    }

    /// Fires an event by hand: runs its task as if it had occurred, with these variables. `object`
    /// names what it is about, where the host knows.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when there is no such event or its task is disabled, and as
    /// [`emit`](Engine::emit).
    pub async fn trigger_event(
        &self,
        id: EventId,
        object: Option<String>,
        variables: Vec<(String, String)>,
    ) -> Result<Emitted, EngineError> {
        let event = self
            .inner
            .store
            .event(id)
            .await?
            .ok_or(EngineError::NotFound)?
            .value;
        let object = match event.target {
            Target::Instance(id) => Some(Object {
                id,
                name: object.unwrap_or_default(),
            }),
            Target::Tag(_) | Target::Generic => None,
        };
        let occurrence = Occurrence {
            object,
            variables,
            ..Occurrence::new(event.event_type, event.event)
        };
        let emitted = self
            .emit_apart(occurrence, What::Task(event.task), Origin::Direct)
            .await?;
        if emitted.deliveries.is_empty() {
            Err(EngineError::NotFound)
        } else {
            Ok(emitted)
        }
    }
}

fn dangling(error: StoreError) -> EngineError {
    match error.kind() {
        ErrorKind::Invalid => EngineError::Dangling(Field::Task),
        _ => error.into(),
    }
}
