//! Events (SPEC 2.4). They belong to their task's owner.

use gatepost_engine::{Emitted, EngineError, TriggerInput};
use gatepost_storage::Row;
use gatepost_storage::webhooks::{EventQuery, RecordId, TaskRow};
use webhook_model::{Event, EventId, Field, Invalid, Target};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::changes::Changes;
use crate::completion::{Answer, Edit, contain};
use crate::error::ManageError;
use crate::subject::Subject;
use crate::tables::EVENTS;
use crate::visible_rows::{Listed, Whose};

/// The platform's table of tags.
const TAGS: &str = "tags";

impl Actor {
    /// Creates an event that the catalog allows and that its task's owner may watch.
    ///
    /// # Errors
    /// [`ManageError::Dangling`] if the task does not exist or the caller may not see it,
    /// [`ManageError::Invalid`], [`ManageError::NoSuchObject`], [`ManageError::Refused`],
    /// [`ManageError::Full`], [`ManageError::TooFast`], failures of store and accounts.
    pub fn create_event(&self, event: Event) -> Answer<'_, Row<EventId, Event>> {
        self.change(EVENTS, Operation::Create, |actor| async move {
            let owner = actor.usable_task(event.task).await?;
            let row = actor.engine().create_event(&event).await;
            let row = row.map_err(|error| no_such_object(error).about(actor.is(owner)))?;
            Ok((Subject::event(row.id, row.owner, &row.value), row))
        })
    }

    /// Returns an event and the task that it runs.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`], failures of store and accounts.
    pub fn event(&self, id: EventId) -> Answer<'_, (Row<EventId, Event>, TaskRow)> {
        contain(async move {
            let row = self.own_event(id).await?;
            let task = self.own_task(row.value.task).await?;
            Ok((row, task))
        })
    }

    /// Returns one page of the events that match and that the caller may see.
    ///
    /// # Errors
    /// [`ManageError::TooFast`] if too many lists of the caller wait; failures of store and
    /// accounts.
    pub fn events<'a>(
        &'a self,
        query: &'a EventQuery,
    ) -> Answer<'a, Listed<Row<EventId, Event>, EventId>> {
        contain(async move {
            let read = |scope, page| {
                let query = EventQuery {
                    scope,
                    page,
                    ..query.clone()
                };
                async move { self.engine().list_events(&query).await }
            };
            let whose = |row: &Row<EventId, Event>| Some(Whose::of(row.owner));
            self.listed(query.scope, query.page, |row| row.id, whose, read)
                .await
        })
    }

    /// Changes an event. `edit` may be called several times.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`], refusals of `edit`, and the errors
    /// of [`create_event`](Self::create_event).
    pub fn edit_event(
        &self,
        id: EventId,
        edit: impl FnMut(&mut Event) -> Result<(), Invalid> + Send + 'static,
    ) -> Answer<'_, Row<EventId, Event>> {
        self.change_event(id, Operation::Update, Box::new(edit))
    }

    /// Deletes an event, even if it cannot be read. Its task stays.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub fn delete_event(&self, id: EventId) -> Answer<'_, ()> {
        self.change(EVENTS, Operation::Delete, move |actor| async move {
            let owner = actor.own_record(RecordId::Event(id)).await?;
            let read = actor.engine().event(id).await.ok().flatten();
            let subject = read.map(|row| Subject::event(id, row.owner, &row.value));
            actor.engine().delete_event(id).await?;
            Ok((subject.unwrap_or_else(|| Subject::new(id, owner, "")), ()))
        })
    }

    /// Enables an event, which then runs its task.
    ///
    /// # Errors
    /// The errors of [`edit_event`](Self::edit_event).
    pub fn enable_event(&self, id: EventId) -> Answer<'_, Row<EventId, Event>> {
        self.set_event(id, Operation::Enable, true)
    }

    /// Disables an event, which then does not run its task.
    ///
    /// # Errors
    /// The errors of [`edit_event`](Self::edit_event).
    pub fn disable_event(&self, id: EventId) -> Answer<'_, Row<EventId, Event>> {
        self.set_event(id, Operation::Disable, false)
    }

    /// Triggers an event manually: its task runs as if it had occurred with these data, regardless
    /// of its filter. The name of its object or tag, which `${NAME}` becomes, comes from the
    /// platform's [`Directory`](crate::Directory), on behalf of the event's owner, who receives it;
    /// without a name it is the row number.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Disabled`] if its task is disabled,
    /// [`ManageError::Message`], [`ManageError::Refused`], [`ManageError::TooFast`], failures of
    /// store and accounts.
    pub fn trigger_event(&self, id: EventId, brought: TriggerInput) -> Answer<'_, Emitted> {
        self.change(EVENTS, Operation::Trigger, move |actor| async move {
            let row = actor.own_event(id).await?;
            let object = actor.named(&row).await?;
            let subject = Subject::event(id, row.owner, &row.value);
            let (engine, by) = (actor.engine(), Some(actor.principal.owner));
            match engine.trigger_event(id, object, brought, by).await {
                Err(EngineError::NotFound) => Err(ManageError::Disabled),
                other => Ok((subject, other.map_err(actor.about(row.owner))?)),
            }
        })
    }

    /// Returns the name of an event's object or tag for the event's owner, or its row number.
    pub(crate) async fn named(
        &self,
        row: &Row<EventId, Event>,
    ) -> Result<Option<String>, ManageError> {
        let (table, key) = match row.value.target {
            Target::Instance(object) => (row.value.event_type.as_str(), object),
            Target::Tag(tag) => (TAGS, tag.into()),
            Target::Generic => return Ok(None),
        };
        let name = self.name_for(row.owner, table, key).await?;
        Ok(Some(name.unwrap_or_else(|| key.to_string())))
    }

    fn change_event(
        &self,
        id: EventId,
        operation: Operation,
        mut edit: Edit<Event>,
    ) -> Answer<'_, Row<EventId, Event>> {
        self.change(EVENTS, operation, move |actor| async move {
            let row = actor.own_event(id).await?;
            let (mut owner, mut trial) = (row.owner, row.value);
            let judged = trial.task;
            edit(&mut trial)?;
            let usable = trial.task;
            if usable != judged {
                owner = actor.usable_task(usable).await?;
            }
            let mut before = None;
            let edited = actor.engine().edit_event(id, |event| {
                before = Some(event.clone());
                // If somebody else chose another task in the meantime, its owner is unknown.
                let was_judged = event.task == judged || event.task == usable;
                edit(event)?;
                if was_judged && (event.task == judged || event.task == usable) {
                    Ok(())
                } else {
                    Err(Invalid::new(Field::Task, "does not exist"))
                }
            });
            let edited = edited.await;
            let row = edited.map_err(|error| no_such_object(error).about(actor.is(owner)))?;
            let changes = before.map(|before| Changes::of_event(&before, &row.value));
            let subject = Subject::event(id, row.owner, &row.value);
            Ok((subject.with(changes.unwrap_or_default()), row))
        })
    }

    fn set_event(
        &self,
        id: EventId,
        operation: Operation,
        enabled: bool,
    ) -> Answer<'_, Row<EventId, Event>> {
        let set = move |event: &mut Event| {
            event.enabled = enabled;
            Ok(())
        };
        self.change_event(id, operation, Box::new(set))
    }
}

/// Converts an error about the only other reference of an event, its target.
pub(crate) fn no_such_object(error: EngineError) -> ManageError {
    match error {
        EngineError::Dangling(Field::Owner) => ManageError::NoSuchObject,
        other => other.into(),
    }
}
