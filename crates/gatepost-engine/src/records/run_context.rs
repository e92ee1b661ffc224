//! What a task is run about, when it is run by hand or its event is triggered by hand.

use webhook_model::{
    Audience, Data, Event, EventName, EventType, Invalid, Object, Occurrence, Target,
};

use crate::render::NAME;

/// What a run or a test of a task by hand is about: as if it had occurred. Nothing is matched by
/// it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct RunContext {
    /// What occurred; `None` for a run because somebody wanted one.
    pub event: Option<(EventType, EventName)>,
    /// To what.
    pub object: Option<Object>,
    /// Values of further variables, by name.
    pub variables: Vec<(String, String)>,
    /// What it brings along.
    pub data: Option<Data>,
    /// What the event that runs the task has for the message.
    pub context: Option<Data>,
}

gatepost_ids::setters!(RunContext {
    /// Says what occurred.
    with_event(event: (EventType, EventName)) => Some(event),
    /// Says to what.
    with_object(object: Object) => Some(object),
    /// Sets [`variables`](Self::variables).
    with_variables(variables: Vec<(String, String)>) => variables,
    /// Sets what it brings along.
    with_data(data: Data) => Some(data),
    /// Sets [`context`](Self::context).
    with_context(context: Data) => Some(context),
});

impl RunContext {
    /// Its occurrence: of its event, or that a task was run by hand.
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

/// What an event that is triggered by hand brings along, as if it had occurred: by default nothing.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct TriggerInput {
    /// Values of variables, by name.
    pub variables: Vec<(String, String)>,
    /// Its data.
    pub data: Option<Data>,
    /// What the message has in place of the event's own context.
    pub context: Option<Data>,
}

gatepost_ids::setters!(TriggerInput {
    /// Sets [`variables`](Self::variables).
    with_variables(variables: Vec<(String, String)>) => variables,
    /// Sets its data.
    with_data(data: Data) => Some(data),
    /// Replaces the event's own context.
    with_context(context: Data) => Some(context),
});

impl TriggerInput {
    /// What the task of the event runs about. `object` is what the object or the tag is called.
    pub(super) fn about(self, event: &Event, object: Option<String>) -> RunContext {
        let mut variables = self.variables;
        let object = match event.target {
            Target::Instance(id) => Some(Object::new(id, object.unwrap_or_default())),
            // There is no object, but something to call it.
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
