//! Events (SPEC 2.4).

use std::sync::Arc;

use gatepost_storage::webhooks::{EventQuery, RecordId, WebhookStore};
use gatepost_storage::{ErrorKind, Row, StoreError};
use webhook_model::{Catalog, Event, EventId, Field, Invalid, OwnerId, Target, TaskId};

use super::allowance::{Admitted, Allowance, Kind};
use super::brought::Brought;
use super::by_hand::ByHand;
use super::run_about::RunAbout;
use crate::clock::EngineClock;
use crate::edit::edit;
use crate::emit::Emitted;
use crate::error::EngineError;

#[derive(Debug)]
pub(crate) struct Events {
    pub store: Arc<dyn WebhookStore>,
    pub clock: Arc<EngineClock>,
    pub catalog: Catalog,
    pub allowance: Allowance,
    pub by_hand: ByHand,
}

impl Events {
    pub(crate) async fn create(&self, event: &Event) -> Result<Row<EventId, Event>, EngineError> {
        self.catalog.check(event)?;
        let owner = self.owner(event.task).await?;
        self.allowance.judge.may_watch(owner, event).await?;
        let mut admitted = Admitted::default();
        let at_most = self
            .allowance
            .of(owner, Kind::Events, &mut admitted)
            .await?;
        let inserted = self
            .store
            .insert_event(event, at_most, self.clock.now()?)
            .await;
        let inserted = inserted.map_err(dangling);
        self.allowance
            .explained(inserted, Kind::Events, &admitted)
            .await
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
        edit: impl FnMut(&mut Event) -> Result<(), Invalid> + Send,
    ) -> Result<Row<EventId, Event>, EngineError> {
        let mut admitted = Admitted::default();
        let edited = self.edit_row(id, edit, &mut admitted).await;
        self.allowance
            .explained(edited, Kind::Events, &admitted)
            .await
    }

    pub(crate) async fn delete(&self, id: EventId) -> Result<(), EngineError> {
        self.allowance.of_deletion(RecordId::Event(id)).await?;
        Ok(self.store.delete_event(id, self.clock.now()?).await?)
    }

    /// What the task of an event would run about, if the event was triggered.
    pub(crate) async fn about(
        &self,
        id: EventId,
        object: Option<String>,
        brought: Brought,
    ) -> Result<RunAbout, EngineError> {
        let row = self.store.event(id).await?.ok_or(EngineError::NotFound)?;
        Ok(brought.about(&row.value, object))
    }

    pub(crate) async fn trigger(
        &self,
        id: EventId,
        object: Option<String>,
        brought: Brought,
        by: Option<OwnerId>,
    ) -> Result<Emitted, EngineError> {
        let row = self.store.event(id).await?.ok_or(EngineError::NotFound)?;
        let about = brought.about(&row.value, object);
        let tags = match row.value.target {
            Target::Tag(tag) => vec![tag],
            Target::Instance(_) | Target::Generic => Vec::new(),
        };
        let (event_type, name) = about.words()?;
        let occurrence = self.by_hand.occurrence(event_type, name, row.owner).await?;
        let mut occurrence = occurrence.with_tags(tags).with_variables(about.variables);
        occurrence.object = about.object;
        occurrence.data = about.data;
        let by = (by, about.context);
        let run = self.by_hand.run(row.value.task, row.owner, occurrence, by);
        run.await
    }

    async fn edit_row(
        &self,
        id: EventId,
        mut edit: impl FnMut(&mut Event) -> Result<(), Invalid> + Send,
        admitted: &mut Admitted,
    ) -> Result<Row<EventId, Event>, EngineError> {
        edit!(
            self,
            event,
            update_event,
            dangling,
            id,
            |row| {
                let before = row.value.clone();
                edit(&mut row.value)?;
                self.catalog.check(&row.value)?;
                if !is_switched_off(&before, &row.value) {
                    let owner = self.owner(row.value.task).await?;
                    self.allowance.judge.may_watch(owner, &row.value).await?;
                }
            },
            {
                // With another task it may get another owner.
                let owners = (row.owner, self.owner(row.value.task).await?);
                self.allowance
                    .of_edited(owners, Kind::Events, admitted)
                    .await?
            }
        )
    }

    /// The owner of the task.
    async fn owner(&self, task: TaskId) -> Result<OwnerId, EngineError> {
        let owner = self.allowance.owner_of(RecordId::Task(task));
        owner.await?.ok_or(EngineError::Dangling(Field::Task))
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
