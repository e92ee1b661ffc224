//! The occurrence of a manual run or test.

use gatepost_engine::RunContext;
use gatepost_keys::OwnerId;
use webhook_model::{
    CatalogError, Data, Event, EventLabel, EventName, EventNotes, EventType, Filter, JsonObject,
    Object, ObjectId, Target, TaskId,
};

use crate::actor::Actor;
use crate::error::ManageError;
use crate::events::no_such_object;

/// The permission to watch an object does not depend on the task.
const NO_TASK: TaskId = TaskId(0);

/// The occurrence that a manual run or test simulates; empty by default.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct About {
    /// The event, which must be in the catalog.
    pub event: Option<(EventType, EventName)>,
    /// An object of the event's type, by its row number, which the task's owner may watch.
    /// `${NAME}` becomes the name that the owner may know.
    pub object: Option<ObjectId>,
    /// The value of `${NAME}` if the [`Directory`](crate::Directory) knows no name. If it is empty
    /// too, the row number is used.
    pub name: String,
    /// Values of further variables, by name.
    pub variables: Vec<(String, String)>,
    /// The data of the occurrence; by default the event's sample in the catalog.
    pub data: Option<Data>,
}

impl Actor {
    /// Returns the occurrence, as far as this owner may receive it.
    pub(crate) async fn known(
        &self,
        owner: OwnerId,
        about: About,
    ) -> Result<RunContext, ManageError> {
        let mut name = about.name;
        let mut data = about.data;
        let id = about.object.unwrap_or(ObjectId::from(0));
        if let Some((event_type, event)) = &about.event {
            if self.catalog().event_label(event_type, event).is_none() {
                return Err(CatalogError::UnknownEvent.as_invalid().into());
            }
            let notes = self.catalog().notes(event_type, event);
            data = data.or_else(|| notes.and_then(EventNotes::data).cloned());
            if let Some(object) = about.object {
                let watched = Event {
                    event_type: event_type.clone(),
                    event: event.clone(),
                    target: Target::Instance(object),
                    task: NO_TASK,
                    enabled: true,
                    filters: Filter::default(),
                    context: JsonObject::default(),
                    label: EventLabel::default(),
                };
                let may = self.engine().may_watch(owner, &watched).await;
                may.map_err(no_such_object)?;
                let table = event_type.as_str();
                if let Some(known) = self.name_for(owner, table, object).await? {
                    name = known;
                } else if name.is_empty() {
                    name = object.to_string();
                }
            }
        }
        let is_named = !name.is_empty() || about.object.is_some();
        let mut run = RunContext::default().with_variables(about.variables);
        run.event = about.event;
        run.object = is_named.then_some(Object::new(id, name));
        run.data = data;
        Ok(run)
    }
}
