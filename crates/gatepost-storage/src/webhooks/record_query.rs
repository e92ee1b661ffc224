//! Which records a list shows.

use gatepost_ids::OwnerId;
use webhook_model::{EventId, EventType, TaskId, WebhookId};

use crate::page::{Page, Scope};

/// Which webhooks to list: those that match all that is `Some`.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookQuery {
    /// Whose webhooks.
    pub scope: Scope,
    /// Only the webhook of exactly this name.
    pub name: Option<String>,
    /// The page.
    pub page: Page<WebhookId>,
}

/// Which tasks to list: those that match all that is `Some`.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskQuery {
    /// Whose tasks.
    pub scope: Scope,
    /// Only tasks made by this user.
    pub creator: Option<OwnerId>,
    /// Only tasks that send this webhook.
    pub webhook: Option<WebhookId>,
    /// Only tasks of exactly this name.
    pub name: Option<String>,
    /// The page.
    pub page: Page<TaskId>,
}

/// Which events to list: those that match all that is `Some`.
#[derive(Clone, Debug, PartialEq)]
pub struct EventQuery {
    /// Whose events.
    pub scope: Scope,
    /// Only events that trigger this task.
    pub task: Option<TaskId>,
    /// Only events of this type.
    pub event_type: Option<EventType>,
    /// The page.
    pub page: Page<EventId>,
}

/// Which records to list.
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
