//! `subscriptions`: a webhook, a task and its events from one request.

mod columns;

use gatepost_manage::{Actor, MAX_TOGETHER, ManageError};
use gatepost_storage::webhooks::NewRecords;
use serde_json::Value;
use webhook_model::{
    Action, Description, Event, EventType, SigningSecret, Target, Task, TaskId, Webhook, WebhookId,
};

pub(crate) use self::columns::{EVENT, MEMBERS};
use super::events;
use crate::error::{ApiError, Result};
use crate::schema::{Input, items, members};

/// The member with the list of events.
pub(crate) const EVENTS: &str = "events";
/// The name for each event of a type.
const EACH: &str = "*";
/// The task of events that are stored with it.
const NO_TASK: TaskId = TaskId(0);

/// A request, with the members that the client sent.
#[derive(Debug)]
pub(crate) struct Subscription {
    members: Input,
    /// The events with their positions, such as `events[2]`.
    events: Vec<(String, Input)>,
}

impl Subscription {
    /// Parses a body and its text.
    pub(crate) fn parse(mut body: Value, text: &str) -> Result<Self> {
        let listed = body.as_object_mut().and_then(|body| body.remove(EVENTS));
        let members_of = Input::params(&MEMBERS, &body)?;
        let listed = match listed {
            Some(Value::Array(listed)) => listed,
            None => return Err(ApiError::field(EVENTS, "is required")),
            Some(_) => return Err(ApiError::field(EVENTS, "must be a list of objects")),
        };
        if !(1..=MAX_TOGETHER).contains(&listed.len()) {
            return Err(wrong_number());
        }
        let texts = members(text);
        let texts = texts.iter().rfind(|(name, _)| name == EVENTS);
        let texts = texts.map(|(_, text)| items(text)).unwrap_or_default();
        let events = listed.iter().zip(texts).enumerate();
        let events = events.map(|(index, (event, text))| {
            let at = format!("{EVENTS}[{index}]");
            if !event.is_object() {
                return Err(ApiError::field(&at, "must be an object"));
            }
            let input = Input::params(&EVENT, event).map_err(|error| error.within(&at))?;
            Ok((at, input.with_texts(members(text))))
        });
        Ok(Self {
            members: members_of,
            events: events.collect::<Result<_, _>>()?,
        })
    }

    /// Creates it for the caller. Returns the row numbers, and the signing secret if one was asked
    /// for.
    pub(crate) async fn create(&self, caller: &Actor) -> Result<Created> {
        let webhook = self.webhook(caller)?;
        let existing = self.members.int("webhook_url").unwrap_or_default();
        let message = self.members.text("message").map(str::parse).transpose()?;
        let task = Task {
            creator: caller.principal().owner,
            name: self.name().parse()?,
            description: Description::default(),
            enabled: true,
            delete_after_run: false,
            action: Action::Send {
                webhook: WebhookId(existing),
                message: message.unwrap_or_default(),
            },
        };
        let events = self.events(caller)?;
        let only = match &events[..] {
            [event] => Some(event.target),
            _ => None,
        };
        let records = NewRecords {
            webhook,
            task: Some(task),
            events,
        };
        let is_signed = self.members.bool("signing_secret") == Some(true);
        let stored = caller.subscribe(records, is_signed).await;
        let (stored, secret) = stored.map_err(|error| match error {
            ManageError::Dangling { .. } => ApiError::field("webhook_url", "does not exist"),
            error => events::of_target(error, only.unwrap_or(Target::Generic)),
        })?;
        let webhook = stored.webhook.map(|row| row.id.0);
        Ok(Created {
            webhook: webhook.unwrap_or(existing),
            task: stored.task.map(|row| row.id.0),
            events: stored.events.iter().map(|row| row.id.0).collect(),
            secret,
        })
    }

    /// Returns the new webhook, if it is not one that exists.
    fn webhook(&self, caller: &Actor) -> Result<Option<Webhook>> {
        let url = match (self.members.text("url"), self.members.has("webhook_url")) {
            (Some(_), true) => {
                return Err(ApiError::field("webhook_url", "must not be given with url"));
            }
            (None, false) => return Err(ApiError::field("url", "is required, or webhook_url")),
            (None, true) if self.members.bool("signing_secret") == Some(true) => {
                let rule =
                    "is for a new webhook; an existing one has the action roll_signing_secret";
                return Err(ApiError::field("signing_secret", rule));
            }
            (None, true) => return Ok(None),
            (Some(url), false) => url.parse()?,
        };
        let owner = caller.principal().owner;
        Ok(Some(Webhook::new(owner, self.name().parse()?, url)))
    }

    /// Returns the events, those of `*` one by one, each once.
    fn events(&self, caller: &Actor) -> Result<Vec<Event>> {
        let mut events: Vec<Event> = Vec::new();
        for (at, input) in &self.events {
            for name in names(caller, input) {
                let event = events::new(caller, NO_TASK, &name, input);
                let event = event.and_then(|event| {
                    let checked = caller.catalog().check(&event);
                    checked.map_err(|error| error.as_invalid())?;
                    Ok(event)
                });
                let event = event.map_err(|error| error.within(at))?;
                let same = |other: &Event| {
                    (&other.event_type, &other.event, other.target)
                        == (&event.event_type, &event.event, event.target)
                };
                // Nothing more is compared than may be stored.
                if events.len() == MAX_TOGETHER {
                    return Err(wrong_number());
                }
                if events.iter().any(same) {
                    let rule = format!("names {} {name} a second time", event.event_type);
                    return Err(ApiError::field(at, rule));
                }
                events.push(event);
            }
        }
        Ok(events)
    }

    fn name(&self) -> &str {
        self.members.text("name").unwrap_or_default()
    }
}

/// A stored subscription.
#[derive(Debug)]
pub(crate) struct Created {
    pub webhook: i64,
    pub task: Option<i64>,
    pub events: Vec<i64>,
    /// Returned once.
    pub secret: Option<SigningSecret>,
}

/// Returns the names of the events that one object of the list names.
fn names(caller: &Actor, input: &Input) -> Vec<String> {
    let (of, name) = (input.text("table"), input.text("event").unwrap_or_default());
    match of.and_then(|of| of.parse::<EventType>().ok()) {
        // With an unknown type it is one name, which is refused.
        Some(of) if name == EACH && caller.catalog().events(&of).next().is_some() => {
            let names = caller.catalog().events(&of);
            names.map(|(name, _)| name.to_string()).collect()
        }
        _ => vec![name.to_owned()],
    }
}

fn wrong_number() -> ApiError {
    ApiError::field(EVENTS, format!("must be 1 to {MAX_TOGETHER} events"))
}
