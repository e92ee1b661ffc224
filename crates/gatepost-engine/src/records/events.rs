//! Events (SPEC 2.4).

use std::sync::Arc;

use gatepost_storage::webhooks::{EventQuery, Origin, WebhookStore};
use gatepost_storage::{ErrorKind, Row, StoreError};
use webhook_model::{Catalog, Event, EventId, Field, Invalid, Object, Occurrence, Target};

use crate::clock::EngineClock;
use crate::edit::edit;
use crate::emit::{Emitted, Emitter, Trigger};
use crate::error::EngineError;

#[derive(Debug)]
pub(crate) struct Events {
    pub store: Arc<dyn WebhookStore>,
    pub clock: Arc<EngineClock>,
    pub catalog: Catalog,
    pub emitter: Arc<Emitter>,
}

impl Events {
    pub(crate) async fn create(&self, event: &Event) -> Result<Row<EventId, Event>, EngineError> {
        self.catalog.check(event)?;
        let inserted = self.store.insert_event(event, self.clock.now()?).await;
        inserted.map_err(dangling)
    }

    pub(crate) async fn get(
        &self,
        id: EventId,
    ) -> Result<Option<Row<EventId, Event>>, EngineError> {
        Ok(self.store.event(id).await?)
    }

    pub(crate) async fn list(
        &self,
        query: &EventQuery,
    ) -> Result<Vec<Row<EventId, Event>>, EngineError> {
        Ok(self.store.list_events(query).await?)
    }

    pub(crate) async fn edit(
        &self,
        id: EventId,
        mut edit: impl FnMut(&mut Event) -> Result<(), Invalid> + Send,
    ) -> Result<Row<EventId, Event>, EngineError> {
        edit!(self, event, update_event, dangling, id, |row| {
            edit(&mut row.value)?;
            self.catalog.check(&row.value)?;
        })
    }

    pub(crate) async fn delete(&self, id: EventId) -> Result<(), EngineError> {
        Ok(self.store.delete_event(id, self.clock.now()?).await?)
    }

    pub(crate) async fn trigger(
        &self,
        id: EventId,
        object: Option<String>,
        variables: Vec<(String, String)>,
    ) -> Result<Emitted, EngineError> {
        let row = self.store.event(id).await?.ok_or(EngineError::NotFound)?;
        let event = row.value;
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
        let task = Trigger::Task(event.task);
        let run = self.emitter.emit_detached(occurrence, task, Origin::Direct);
        let emitted = run.await?;
        if emitted.deliveries.is_empty() {
            return Err(EngineError::NotFound);
        }
        Ok(emitted)
    }
}

fn dangling(error: StoreError) -> EngineError {
    match error.kind() {
        ErrorKind::Invalid => EngineError::Dangling(Field::Task),
        _ => error.into(),
    }
}
