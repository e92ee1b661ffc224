//! What an event brings that is triggered by hand.

use webhook_model::{Data, Event, Object, Target};

use super::run_about::RunAbout;
use crate::render::NAME;

/// What an event that is triggered by hand brings along, as if it had occurred: by default nothing.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Brought {
    /// Values of variables, by name.
    pub variables: Vec<(String, String)>,
    /// Its data.
    pub data: Option<Data>,
    /// What the message has in place of the event's own context.
    pub context: Option<Data>,
}

gatepost_ids::setters!(Brought {
    /// Sets [`variables`](Self::variables).
    with_variables(variables: Vec<(String, String)>) => variables,
    /// Sets its data.
    with_data(data: Data) => Some(data),
    /// Replaces the event's own context.
    with_context(context: Data) => Some(context),
});

impl Brought {
    /// What the task of the event runs about. `object` is what the object or the tag is called.
    pub(super) fn about(self, event: &Event, object: Option<String>) -> RunAbout {
        let Self {
            mut variables,
            data,
            context,
        } = self;
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
        RunAbout {
            event: Some((event.event_type.clone(), event.event.clone())),
            object,
            variables,
            data,
            context: Some(context.unwrap_or_else(|| (&event.context).into())),
        }
    }
}
