//! The filter for lists of deliveries.

use chrono::{DateTime, Utc};
use webhook_model::{TaskId, WebhookId};

use super::delivery::{Delivery, DeliveryId, DeliveryState};
use crate::page::{Bodies, Page, Scope};

/// A filter for deliveries: all criteria that are `Some` must match.
#[derive(Clone, Debug, PartialEq)]
pub struct DeliveryQuery {
    /// The owners of the deliveries.
    pub scope: Scope,
    /// Only deliveries to this webhook.
    pub webhook: Option<WebhookId>,
    /// Only deliveries made by this task.
    pub task: Option<TaskId>,
    /// Only deliveries in one of these states; an empty list means all.
    pub states: Vec<DeliveryState>,
    /// Only deliveries whose last attempt ended with this class
    /// ([`AttemptRecord::class`](super::AttemptRecord::class)).
    pub class: Option<String>,
    /// Only deliveries created at or after this.
    pub created_from: Option<DateTime<Utc>>,
    /// Only deliveries created before this.
    pub created_before: Option<DateTime<Utc>>,
    /// The page.
    pub page: Page<DeliveryId>,
}

impl DeliveryQuery {
    /// Returns a query for all deliveries, page by page.
    #[must_use]
    pub fn all(page: Page<DeliveryId>) -> Self {
        Self {
            scope: Scope::All,
            webhook: None,
            task: None,
            states: Vec::new(),
            class: None,
            created_from: None,
            created_before: None,
            page,
        }
    }

    /// Returns a query for the newest delivery of a task, without its message.
    pub(crate) fn newest_of(task: TaskId) -> Self {
        Self {
            task: Some(task),
            ..Self::all(Page::newest(1).with_bodies(Bodies::Omitted))
        }
    }

    /// Returns whether a delivery matches, regardless of the page.
    #[must_use]
    pub fn matches(&self, delivery: &Delivery) -> bool {
        let in_scope = match self.scope {
            Scope::All => true,
            Scope::Owner(owner) => delivery.owner == owner,
            Scope::Tenant(tenant) => delivery.tenant == Some(tenant),
        };
        let is_class = |class: &String| delivery.class == *class;
        in_scope
            && self
                .webhook
                .is_none_or(|webhook| delivery.webhook == webhook)
            && self.task.is_none_or(|task| delivery.task == Some(task))
            && (self.states.is_empty() || self.states.contains(&delivery.state))
            && self.class.as_ref().is_none_or(is_class)
            && self
                .created_from
                .is_none_or(|from| delivery.created >= from)
            && self
                .created_before
                .is_none_or(|before| delivery.created < before)
    }
}
