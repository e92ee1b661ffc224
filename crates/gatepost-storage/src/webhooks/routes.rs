//! What an occurrence is matched against: the records of a place without their texts.

use std::time::Duration;

use gatepost_ids::OwnerId;
use webhook_model::{
    Channels, Event, EventId, EventName, EventType, Filter, Target, TaskId, Webhook, WebhookId,
};

use super::record::{RecordId, TaskRow};
use crate::codec;
use crate::page::{Revision, Row};

/// Counts the changes of webhooks, tasks and events in one place. Every insert, update and deletion
/// of one, by any process, moves it in the same transaction. Drawn from one counter of the store.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct RoutesVersion(pub i64);

/// A record that cannot be read: written by a newer version, or sealed with a key that is lost.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnreadableRecord {
    /// Which.
    pub record: RecordId,
    /// Whose.
    pub owner: OwnerId,
    /// Why, without a secret.
    pub reason: String,
}

/// What an emit needs of a webhook before it sends.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WebhookRoute {
    /// The webhook.
    pub id: WebhookId,
    /// Its revision.
    pub revision: Revision,
    /// Its owner.
    pub owner: OwnerId,
    /// Whether it sends ([`Webhook::sends`](webhook_model::Webhook::sends)).
    pub active: bool,
    /// Whether its deliveries keep their order.
    pub in_order: bool,
    /// How long it waits for a response.
    pub timeout: Duration,
    /// Of what occurs in channels, it receives these.
    pub channels: Channels,
}

impl WebhookRoute {
    /// The word in the column `activity` of a webhook that sends, and of no other: what a claim
    /// looks for.
    pub const SENDS: &'static str = codec::SENDS;

    /// Of a stored webhook.
    #[must_use]
    pub fn of(row: &Row<WebhookId, Webhook>) -> Self {
        Self {
            id: row.id,
            revision: row.revision,
            owner: row.value.owner,
            active: row.value.sends(),
            in_order: row.value.order == webhook_model::DeliveryOrder::InOrder,
            timeout: row.value.timeout.as_duration(),
            channels: row.value.channels.clone(),
        }
    }
}

/// What an emit needs of an enabled task, but for its message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TaskRoute {
    /// The task.
    pub id: TaskId,
    /// Its revision.
    pub revision: Revision,
    /// Its owner, and its webhook's.
    pub owner: OwnerId,
    /// The webhook that it sends.
    pub webhook: WebhookId,
    /// Whether it is deleted once it has run.
    pub once: bool,
}

impl TaskRoute {
    /// Of a stored task; `None` of one that is disabled or sends nothing.
    #[must_use]
    pub fn of(row: &TaskRow) -> Option<Self> {
        let webhook_model::Action::Send { webhook, .. } = &row.value.action else {
            return None;
        };
        row.value.enabled.then_some(Self {
            id: row.id,
            revision: row.revision,
            owner: row.owner,
            webhook: *webhook,
            once: row.value.delete_after_run,
        })
    }
}

/// What an emit needs of an enabled event.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EventRoute {
    /// The event.
    pub id: EventId,
    /// Its revision.
    pub revision: Revision,
    /// The area of the platform.
    pub event_type: EventType,
    /// The trigger.
    pub event: EventName,
    /// What it is about.
    pub target: Target,
    /// The task to run.
    pub task: TaskId,
    /// Which of those occurrences, by what they bring along.
    pub filter: Filter,
}

impl EventRoute {
    /// The target that is in a column `target`: `any`, `instance 7` or `tag 3`.
    ///
    /// # Errors
    /// What is wrong, without the text.
    pub fn parse_target(column: &str) -> Result<Target, &'static str> {
        codec::parse_target(column)
    }

    /// Of a stored event; `None` of one that is disabled.
    #[must_use]
    pub fn of(row: &Row<EventId, Event>) -> Option<Self> {
        row.value.enabled.then(|| Self {
            id: row.id,
            revision: row.revision,
            event_type: row.value.event_type.clone(),
            event: row.value.event.clone(),
            target: row.value.target,
            task: row.value.task,
            filter: row.value.filters.clone(),
        })
    }
}

/// What is matched in a place, at one version, each list in order of row numbers. An event may name
/// a task that is not among them, because it is disabled; it runs nothing.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Routes {
    /// The version of the place at which the lists were read.
    pub version: RoutesVersion,
    /// The webhooks of the tasks, at least.
    pub webhooks: Vec<WebhookRoute>,
    /// The enabled tasks.
    pub tasks: Vec<TaskRoute>,
    /// The enabled events.
    pub events: Vec<EventRoute>,
}

impl Routes {
    /// These, unless they are more than `limit` rows in all.
    #[must_use]
    pub fn at_most(self, limit: u32) -> Option<Self> {
        let rows = self.webhooks.len() + self.tasks.len() + self.events.len();
        (rows <= limit as usize).then_some(self)
    }
}

/// What has changed in a place since some version.
///
/// The rows that were changed, as they are now; `None` for one that is not matched any more:
/// deleted, disabled, unreadable, of a held owner, or in another place now. A webhook that is gone
/// takes its tasks with it, and a task its events, which need not be named; once such a task or
/// event is matched again, it is named, whether it was changed or not. With a task comes its
/// webhook. To be applied so: first all that is `None`, webhooks before tasks before events.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RouteChanges {
    /// The version up to which they are complete.
    pub version: RoutesVersion,
    /// Webhooks.
    pub webhooks: Vec<(WebhookId, Option<WebhookRoute>)>,
    /// Tasks.
    pub tasks: Vec<(TaskId, Option<TaskRoute>)>,
    /// Events.
    pub events: Vec<(EventId, Option<EventRoute>)>,
}

impl RouteChanges {
    /// No change up to this version.
    #[must_use]
    pub fn none(version: RoutesVersion) -> Self {
        Self {
            version,
            webhooks: Vec::new(),
            tasks: Vec::new(),
            events: Vec::new(),
        }
    }
}
