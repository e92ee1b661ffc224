//! Filters for lists of records.

use gatepost_ids::OwnerId;
use webhook_model::{EventId, EventType, TaskId, WebhookId};

use crate::page::{Page, Scope};

/// A filter for webhooks: all criteria that are `Some` must match.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookQuery {
    /// The owners of the webhooks.
    pub scope: Scope,
    /// Only the webhook with exactly this name.
    pub name: Option<String>,
    /// The page.
    pub page: Page<WebhookId>,
}

/// A filter for tasks: all criteria that are `Some` must match.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskQuery {
    /// The owners of the tasks.
    pub scope: Scope,
    /// Only tasks made by this user.
    pub creator: Option<OwnerId>,
    /// Only tasks that send this webhook.
    pub webhook: Option<WebhookId>,
    /// Only tasks with exactly this name.
    pub name: Option<String>,
    /// The page.
    pub page: Page<TaskId>,
}

/// A filter for events: all criteria that are `Some` must match.
#[derive(Clone, Debug, PartialEq)]
pub struct EventQuery {
    /// The owners of the events.
    pub scope: Scope,
    /// Only events that trigger this task.
    pub task: Option<TaskId>,
    /// Only events of this type.
    pub event_type: Option<EventType>,
    /// The page.
    pub page: Page<EventId>,
}

/// A filter for records of one kind.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordQuery {
    /// Webhooks.
    Webhooks(WebhookQuery),
    /// Tasks.
    Tasks(TaskQuery),
    /// Events.
    Events(EventQuery),
}

impl From<WebhookQuery> for RecordQuery {
    fn from(query: WebhookQuery) -> Self {
        Self::Webhooks(query)
    }
}

impl From<TaskQuery> for RecordQuery {
    fn from(query: TaskQuery) -> Self {
        Self::Tasks(query)
    }
}

impl From<EventQuery> for RecordQuery {
    fn from(query: EventQuery) -> Self {
        Self::Events(query)
    }
}
