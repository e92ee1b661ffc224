//! Something that happened.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use gatepost_ids::{Audience, ObjectId, TagId};

use super::channel::Channel;
use super::chosen::Chosen;
use super::words::{EventName, EventType};
use crate::data::Data;
use crate::error::{Field, Invalid};
use crate::trace::TraceContext;

/// The caller's own id of an occurrence: 1 to 128 visible ASCII characters. The same id again is
/// the same occurrence, so a repeated emit does nothing. Cheap to clone.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct OccurrenceId(Arc<str>);

impl OccurrenceId {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for OccurrenceId {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let fits =
            (1..=128).contains(&text.len()) && text.bytes().all(|b| (b'!'..=b'~').contains(&b));
        if fits {
            Ok(Self(text.into()))
        } else {
            Err(Invalid::new(
                Field::OccurrenceId,
                "must be 1 to 128 visible ASCII characters",
            ))
        }
    }
}

impl fmt::Display for OccurrenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The object that an occurrence is about.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Object {
    /// Its id, within the type of the occurrence.
    pub id: ObjectId,
    /// Its name: what `${NAME}` becomes. Any text.
    pub name: String,
}

impl Object {
    /// The object of this id, with this name.
    #[must_use]
    pub fn new(id: ObjectId, name: impl Into<String>) -> Self {
        Self {
            id,
            name: name.into(),
        }
    }
}

/// Something that happened on the platform.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Occurrence {
    /// The caller's own id, if it wants repeats to be recognised. Unique within the place of the
    /// audience.
    pub id: Option<OccurrenceId>,
    /// Who it is meant for.
    pub audience: Audience,
    /// The area of the platform.
    pub event_type: EventType,
    /// What happened there.
    pub event: EventName,
    /// To what; `None` for types without objects.
    pub object: Option<Object>,
    /// The tags that the object carries at this moment.
    pub tags: Vec<TagId>,
    /// Values of further variables, by name, for messages.
    pub variables: Vec<(String, String)>,
    /// What it brings along: filters of events look into it, and messages show it.
    pub data: Option<Data>,
    /// Only tasks that send to one of these webhooks run; `None`: all that match. What is sent
    /// later, or again, was chosen when it occurred.
    pub to: Option<Chosen>,
    /// Webhooks that list channels receive it only if they list this one.
    pub channel: Option<Channel>,
    /// The trace that it belongs to: its deliveries go on with it.
    pub trace: Option<TraceContext>,
}

gatepost_ids::setters!(Occurrence {
    /// Sets [`audience`](Self::audience).
    with_audience(audience: Audience) => audience,
    /// Gives it an id of the caller's own.
    with_id(id: OccurrenceId) => Some(id),
    /// Says to what it happened.
    with_object(object: Object) => Some(object),
    /// Sets [`tags`](Self::tags).
    with_tags(tags: Vec<TagId>) => tags,
    /// Sets [`variables`](Self::variables).
    with_variables(variables: Vec<(String, String)>) => variables,
    /// Sets what it brings along.
    with_data(data: Data) => Some(data),
    /// Restricts it to these webhooks.
    with_to(to: Chosen) => Some(to),
    /// Puts it into a channel.
    with_channel(channel: Channel) => Some(channel),
});

impl Occurrence {
    /// An occurrence without an id, an object, tags, variables, data, channel and trace, for all
    /// webhooks that it matches.
    #[must_use]
    pub fn new(event_type: EventType, event: EventName, audience: Audience) -> Self {
        Self {
            id: None,
            audience,
            event_type,
            event,
            object: None,
            tags: Vec::new(),
            variables: Vec::new(),
            data: None,
            to: None,
            channel: None,
            trace: None,
        }
    }

    /// The same, as a part of this trace.
    #[must_use]
    pub fn traced(self, trace: impl Into<TraceContext>) -> Self {
        Self {
            trace: Some(trace.into()),
            ..self
        }
    }
}
