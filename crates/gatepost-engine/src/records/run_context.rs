//! The context of a manual run or trigger.

use webhook_model::{
    Audience, Data, Event, EventName, EventType, Invalid, Object, Occurrence, Target,
};

use crate::render::NAME;

/// The context of a manual run or test of a task, as if it had occurred. It is matched against no
/// events.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct RunContext {
    /// The event that occurred; `None` for a manual run without one.
    pub event: Option<(EventType, EventName)>,
    /// The object of the event.
    pub object: Option<Object>,
    /// Values of further variables, by name.
    pub variables: Vec<(String, String)>,
    /// The data of the occurrence.
    pub data: Option<Data>,
    /// The context that the event adds to the message.
    pub context: Option<Data>,
}

gatepost_ids::setters!(RunContext {
    /// Sets the event that occurred.
    with_event(event: (EventType, EventName)) => Some(event),
    /// Sets the object.
    with_object(object: Object) => Some(object),
    /// Sets [`variables`](Self::variables).
    with_variables(variables: Vec<(String, String)>) => variables,
    /// Sets the data.
    with_data(data: Data) => Some(data),
    /// Sets [`context`](Self::context).
    with_context(context: Data) => Some(context),
});

impl RunContext {
    /// Returns the occurrence: of its event, or of the manual run of a task.
    pub(super) fn occurrence(self, audience: Audience) -> Result<Occurrence, Invalid> {
        let (event_type, event) = match self.event {
            Some(words) => words,
            None => ("tasks".parse()?, "execute".parse()?),
        };
        let mut occurrence = Occurrence::new(event_type, event, audience);
        occurrence.object = self.object;
        occurrence.variables = self.variables;
        occurrence.data = self.data;
        Ok(occurrence)
    }
}

/// The input of an event that is triggered manually, as if it had occurred: empty by default.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct TriggerInput {
    /// Values of variables, by name.
    pub variables: Vec<(String, String)>,
    /// The data of the occurrence.
    pub data: Option<Data>,
    /// The context that replaces the event's own in the message.
    pub context: Option<Data>,
}

gatepost_ids::setters!(TriggerInput {
    /// Sets [`variables`](Self::variables).
    with_variables(variables: Vec<(String, String)>) => variables,
    /// Sets the data.
    with_data(data: Data) => Some(data),
    /// Replaces the event's own context.
    with_context(context: Data) => Some(context),
});

impl TriggerInput {
    /// Returns the context in which the event's task runs. `object` is the name of the object or
    /// the tag.
    pub(super) fn about(self, event: &Event, object: Option<String>) -> RunContext {
        let mut variables = self.variables;
        let object = match event.target {
            Target::Instance(id) => Some(Object::new(id, object.unwrap_or_default())),
            // There is no object, only a name.
            Target::Tag(_) => {
                let is_named = variables.iter().any(|(name, _)| name == NAME);
                let name = object.filter(|_| !is_named);
                variables.extend(name.map(|name| (NAME.to_owned(), name)));
                None
            }
            Target::Generic => None,
        };
        RunContext {
            event: Some((event.event_type.clone(), event.event.clone())),
            object,
            variables,
            data: self.data,
            context: Some(self.context.unwrap_or_else(|| (&event.context).into())),
        }
    }
}
