//! What a task is run about, when it is run by hand.

use webhook_model::{Audience, Data, EventName, EventType, Invalid, Object, Occurrence};

/// What a run or a test of a task by hand is about: as if it had occurred. Nothing is matched by
/// it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct RunAbout {
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

gatepost_ids::setters!(RunAbout {
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

impl RunAbout {
    /// The event, or that a task was run by hand.
    pub(super) fn words(&self) -> Result<(EventType, EventName), Invalid> {
        match &self.event {
            Some(words) => Ok(words.clone()),
            None => Ok(("tasks".parse()?, "execute".parse()?)),
        }
    }

    pub(super) fn occurrence(self, audience: Audience) -> Result<Occurrence, Invalid> {
        let (event_type, event) = self.words()?;
        let mut occurrence = Occurrence::new(event_type, event, audience);
        occurrence.object = self.object;
        occurrence.variables = self.variables;
        occurrence.data = self.data;
        Ok(occurrence)
    }
}
