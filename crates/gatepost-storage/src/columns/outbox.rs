//! A row of the outbox, as the platform's own SQL or a backend writes it.

use std::borrow::Cow;

use serde_json::Value;
use webhook_model::{
    Audience, Channel, Data, MAX_DATA, Object, Occurrence, OccurrenceId, TagId, TraceContext,
    WebhookId, WebhookIds,
};

use super::variables;
use crate::seal::SEALED;
use crate::webhooks::Unreadable;

/// The columns of the documented table `gatepost_occurrence` that hold an occurrence.
///
/// To read, a backend fills them from a row and calls [`occurrence`](Self::occurrence). For
/// [`OutboxStore::push_outbox`](crate::webhooks::OutboxStore::push_outbox) it writes the columns
/// that [`of`](Self::of) returns.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OutboxColumns<'a> {
    /// The event type: `vms`.
    pub event_type: &'a str,
    /// The event: `poweron`.
    pub event: &'a str,
    /// The id of the object as a text, if the occurrence has an object.
    pub object_id: Option<Cow<'a, str>>,
    /// The object's name; only if `object_id` is set.
    pub object_name: Option<&'a str>,
    /// The tags of the object: a JSON array of integers.
    pub tags: Cow<'a, str>,
    /// Variables for messages: a JSON object of strings, or an array of pairs of strings, which
    /// keeps order and repeats.
    pub variables: Cow<'a, str>,
    /// The data of the occurrence: a JSON object of at most 64 KiB.
    pub data: Option<&'a str>,
    /// The occurrence's own id, if it has one.
    pub occurrence_id: Option<&'a str>,
    /// The webhooks that receive it: a JSON array of 1 to 100 integers; `None` for all.
    pub webhooks: Option<Cow<'a, str>>,
    /// Its channel, if it has one.
    pub channel: Option<&'a str>,
    /// The tenant in its audience, as a text: an integer or a UUID; not together with `owner`.
    pub tenant: Option<Cow<'a, str>>,
    /// The user in its audience, as a text likewise; not together with `tenant`.
    pub owner: Option<Cow<'a, str>>,
    /// Whether its audience is system administrators only; not together with `tenant` or `owner`.
    pub operators: bool,
    /// The trace that it belongs to: a `traceparent`, optionally followed by a blank and a
    /// `tracestate`. An invalid value is ignored, as in a request (W3C Trace Context §4.3): the
    /// occurrence is sent without a trace.
    pub trace: Option<Cow<'a, str>>,
}

impl<'a> OutboxColumns<'a> {
    /// Returns the columns of an occurrence. [`occurrence`](Self::occurrence) restores it
    /// unchanged, except that U+0000 in a variable becomes U+FFFD, because `jsonb` cannot hold it.
    #[must_use]
    pub fn of(occurrence: &'a Occurrence) -> Self {
        let tags: Vec<i64> = occurrence.tags.iter().map(|tag| tag.0).collect();
        let object = occurrence.object.as_ref();
        Self {
            event_type: occurrence.event_type.as_str(),
            event: occurrence.event.as_str(),
            object_id: object.map(|object| object.id.as_str().into()),
            object_name: object.map(|object| object.name.as_str()),
            tags: Value::from(tags).to_string().into(),
            variables: variables::text(&occurrence.variables).into(),
            data: occurrence.data.as_ref().map(Data::as_str),
            occurrence_id: occurrence.id.as_ref().map(OccurrenceId::as_str),
            webhooks: occurrence.to.as_ref().map(|to| {
                let ids: Vec<i64> = to.iter().map(|id| id.0).collect();
                Value::from(ids).to_string().into()
            }),
            channel: occurrence.channel.as_ref().map(Channel::as_str),
            tenant: match occurrence.audience {
                Audience::Tenant(tenant) => Some(tenant.to_string().into()),
                _ => None,
            },
            owner: match occurrence.audience {
                Audience::Owner(owner) => Some(owner.to_string().into()),
                _ => None,
            },
            operators: occurrence.audience == Audience::Operators,
            trace: occurrence.trace.as_ref().map(|t| t.to_string().into()),
        }
    }

    /// Returns the occurrence.
    ///
    /// # Errors
    /// The column and the rule that it breaks. The platform writes these rows with its own SQL, so
    /// the store must reject the row and must not fail.
    pub fn occurrence(&self) -> Result<Occurrence, Unreadable> {
        self.read().map_err(Unreadable)
    }

    fn audience(&self) -> Result<Audience, String> {
        match (
            self.tenant.as_deref(),
            self.owner.as_deref(),
            self.operators,
        ) {
            (None, None, false) => Ok(Audience::OneSystem),
            (Some(tenant), None, false) => {
                let tenant = tenant.parse().map_err(|e| format!("tenant {e}"))?;
                Ok(Audience::Tenant(tenant))
            }
            (None, Some(owner), false) => {
                let owner = owner.parse().map_err(|e| format!("owner {e}"))?;
                Ok(Audience::Owner(owner))
            }
            (None, None, true) => Ok(Audience::Operators),
            _ => Err("at most one of tenant, owner and operators may be set".to_owned()),
        }
    }

    fn read(&self) -> Result<Occurrence, String> {
        let object = match (self.object_id.as_deref(), self.object_name) {
            (Some(id), name) => {
                let id = id.parse().map_err(|e| format!("object_id {e}"))?;
                Some(Object::new(id, name.unwrap_or_default()))
            }
            (None, None) => None,
            (None, Some(_)) => return Err("object_name is set, object_id is not".to_owned()),
        };
        let event_type = self.event_type.parse();
        let event = self.event.parse();
        let mut occurrence = Occurrence::new(
            event_type.map_err(|e| format!("event_type {e}"))?,
            event.map_err(|e| format!("event {e}"))?,
            self.audience()?,
        );
        occurrence.id = self
            .occurrence_id
            .map(str::parse)
            .transpose()
            .map_err(|e| format!("occurrence_id {e}"))?;
        occurrence.object = object;
        occurrence.tags = tags(&self.tags)?;
        occurrence.variables = variables::pairs(&self.variables)?;
        occurrence.data = self.data.map(data).transpose()?;
        occurrence.to = self.webhooks.as_deref().map(webhooks).transpose()?;
        occurrence.channel = self
            .channel
            .map(str::parse)
            .transpose()
            .map_err(|e| format!("channel {e}"))?;
        occurrence.trace = self.trace.as_deref().and_then(trace);
        Ok(occurrence)
    }
}

fn tags(json: &str) -> Result<Vec<TagId>, String> {
    let tags: Vec<i64> = serde_json::from_str(json)
        .map_err(|_| "tags must be a JSON array of integers".to_owned())?;
    Ok(tags.into_iter().map(TagId).collect())
}

fn webhooks(json: &str) -> Result<WebhookIds, String> {
    let ids: Vec<i64> = serde_json::from_str(json)
        .map_err(|_| "webhooks must be a JSON array of integers".to_owned())?;
    WebhookIds::new(ids.into_iter().map(WebhookId)).map_err(|e| format!("webhooks {e}"))
}

fn trace(text: &str) -> Option<TraceContext> {
    let (parent, state) = match text.split_once(' ') {
        Some((parent, state)) => (parent, Some(state)),
        None => (text, None),
    };
    TraceContext::from_headers(parent, state)
}

/// Parses data. Only data that [`SealedMessages`](crate::SealedMessages) sealed may exceed the
/// maximum length.
fn data(json: &str) -> Result<Data, String> {
    let data = Data::stored(json).map_err(|e| e.to_string())?;
    if data.as_str().len() > MAX_DATA && !data.as_map().contains_key(SEALED) {
        return Err(format!("data must be at most {MAX_DATA} bytes"));
    }
    Ok(data)
}

#[cfg(test)]
mod tests;
