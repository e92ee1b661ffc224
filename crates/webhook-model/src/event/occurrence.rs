//! Occurrences: things that happened on the platform, which other systems call events.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use gatepost_ids::{Audience, ObjectId, TagId};

use super::channel::Channel;
use super::identifiers::{EventName, EventType};
use super::webhook_ids::WebhookIds;
use crate::data::Data;
use crate::error::{Field, Invalid};
use crate::trace::TraceContext;

/// The caller's own id of an occurrence: 1 to 128 visible ASCII characters. The same id means the
/// same occurrence, so a repeated emit does nothing. Cheap to clone.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct OccurrenceId(Arc<str>);

impl OccurrenceId {
    /// Returns the text.
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

/// The object of an occurrence.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Object {
    /// Its id, within the type of the occurrence.
    pub id: ObjectId,
    /// Its name, the value of `${NAME}`. Any text.
    pub name: String,
}

impl Object {
    /// Creates an object with this id and name.
    #[must_use]
    pub fn new(id: ObjectId, name: impl Into<String>) -> Self {
        Self {
            id,
            name: name.into(),
        }
    }
}

/// An occurrence: something that happened on the platform, which other systems call an event.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Occurrence {
    /// The caller's own id, if repeats must be recognised. Unique within the realm of the audience.
    pub id: Option<OccurrenceId>,
    /// The audience: the users who may receive it.
    pub audience: Audience,
    /// The area of the platform.
    pub event_type: EventType,
    /// The event within that area.
    pub event: EventName,
    /// The object; `None` for types without objects.
    pub object: Option<Object>,
    /// The tags that the object carries at this time.
    pub tags: Vec<TagId>,
    /// Further variables for messages, as names and values.
    pub variables: Vec<(String, String)>,
    /// The data: filters of events read them, and messages show them.
    pub data: Option<Data>,
    /// The webhooks to send to; `None` for all that match. Retries and replays use the choice that
    /// was made when it occurred.
    pub to: Option<WebhookIds>,
    /// The channel. Webhooks with channels receive it only if they list this one.
    pub channel: Option<Channel>,
    /// The trace that its deliveries continue.
    pub trace: Option<TraceContext>,
}

gatepost_ids::setters!(Occurrence {
    /// Sets [`audience`](Self::audience).
    with_audience(audience: Audience) => audience,
    /// Sets the caller's own id.
    with_id(id: OccurrenceId) => Some(id),
    /// Sets the object.
    with_object(object: Object) => Some(object),
    /// Sets [`tags`](Self::tags).
    with_tags(tags: Vec<TagId>) => tags,
    /// Sets [`variables`](Self::variables).
    with_variables(variables: Vec<(String, String)>) => variables,
    /// Sets the data.
    with_data(data: Data) => Some(data),
    /// Sets the webhooks to send to.
    with_to(to: WebhookIds) => Some(to),
    /// Sets the channel.
    with_channel(channel: Channel) => Some(channel),
});

impl Occurrence {
    /// Creates an occurrence without an id, an object, tags, variables, data, channel and trace,
    /// for all webhooks that it matches.
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

    /// Sets the trace that it is part of.
    #[must_use]
    pub fn traced(self, trace: impl Into<TraceContext>) -> Self {
        Self {
            trace: Some(trace.into()),
            ..self
        }
    }
}
