//! Routes: the records of a realm that occurrences are matched against, without their texts.

use std::time::Duration;

use gatepost_ids::OwnerId;
use webhook_model::{
    Channels, Event, EventId, EventName, EventType, Filter, Target, TaskId, Webhook, WebhookId,
};

use super::record::{RecordId, TaskRow};
use crate::codec::parse_target;
use crate::page::{Revision, Row};

/// The version of a realm's webhooks, tasks and events. Every insert, update and deletion of one,
/// by any process, changes it in the same transaction. All versions come from one counter of the
/// store.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct RoutesVersion(pub i64);

/// A record that cannot be read: written by a newer version, or sealed with a key that is lost.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnreadableRecord {
    /// The id.
    pub record: RecordId,
    /// The owner.
    pub owner: OwnerId,
    /// The reason, without a secret.
    pub reason: String,
}

/// The part of a webhook that an emit needs before it sends.
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
    /// Its response timeout.
    pub timeout: Duration,
    /// The channels that it receives, for an occurrence in a channel.
    pub channels: Channels,
}

impl WebhookRoute {
    /// Returns the route of a stored webhook.
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

/// The part of an enabled task that an emit needs, without its message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TaskRoute {
    /// The task.
    pub id: TaskId,
    /// Its revision.
    pub revision: Revision,
    /// Its owner, who is also its webhook's owner.
    pub owner: OwnerId,
    /// The webhook that it sends.
    pub webhook: WebhookId,
    /// Whether it is deleted after it has run.
    pub once: bool,
}

impl TaskRoute {
    /// Returns the route of a stored task; `None` if it is disabled or sends nothing.
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

/// The part of an enabled event that an emit needs.
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
    /// Its target.
    pub target: Target,
    /// The task to run.
    pub task: TaskId,
    /// The filter for the data of occurrences.
    pub filter: Filter,
}

impl EventRoute {
    /// Parses the column `target`: `any`, `instance 7` or `tag 3`.
    ///
    /// # Errors
    /// The problem, without the text.
    pub fn parse_target(column: &str) -> Result<Target, &'static str> {
        parse_target(column)
    }

    /// Returns the route of a stored event; `None` if it is disabled.
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

/// The routes of a realm at one version, each list in order of row numbers. An event may name a
/// task that is not in the list because it is disabled; it runs nothing.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Routes {
    /// The version of the realm at which the lists were read.
    pub version: RoutesVersion,
    /// The webhooks of the tasks; the list may contain others.
    pub webhooks: Vec<WebhookRoute>,
    /// The enabled tasks.
    pub tasks: Vec<TaskRoute>,
    /// The enabled events.
    pub events: Vec<EventRoute>,
}

impl Routes {
    /// Returns these routes, unless they are more than `limit` rows in all.
    #[must_use]
    pub fn at_most(self, limit: u32) -> Option<Self> {
        let rows = self.webhooks.len() + self.tasks.len() + self.events.len();
        (rows <= limit as usize).then_some(self)
    }
}

/// The changes in a realm since some version.
///
/// The lists contain the changed rows in their current state, with `None` for a row that is no
/// longer matched: it is deleted, disabled or unreadable, its owner is suspended, or it is now in
/// another realm. A deleted webhook removes its tasks, and a task its events, which need not be
/// listed. Once such a task or event is matched again, it must be listed, whether or not it was
/// changed. A listed task requires its webhook to be listed.
///
/// Apply all `None` entries first, webhooks before tasks before events.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RouteChanges {
    /// The version up to which the changes are complete.
    pub version: RoutesVersion,
    /// Webhooks.
    pub webhooks: Vec<(WebhookId, Option<WebhookRoute>)>,
    /// Tasks.
    pub tasks: Vec<(TaskId, Option<TaskRoute>)>,
    /// Events.
    pub events: Vec<(EventId, Option<EventRoute>)>,
}

impl RouteChanges {
    /// Creates an empty list of changes up to this version.
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
