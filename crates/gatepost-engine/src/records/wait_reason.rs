//! Why a delivery that is due still waits.

use std::time::Duration;

use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryQuery, DeliveryState};
use gatepost_storage::{Bodies, Page};
use webhook_model::{Activity, DeliveryMode, DeliveryOrder, Webhook};

use crate::engine::Engine;
use crate::error::EngineError;

/// Why a delivery waits that is or will be due. The states of targets and limits are those that
/// this process sees: another one may have sent the delivery a moment ago.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum WaitReason {
    /// Its webhook is paused or disabled.
    Inactive(Activity),
    /// It waits until its receiver fetches it.
    Fetch,
    /// The account of its owner is disabled.
    Owner,
    /// Its webhook sends in order, and this delivery is ahead of it.
    Behind(DeliveryId),
    /// The target cannot be reached, and no request is sent to it for this time.
    Target(Duration),
    /// The webhook has sent as many requests a second as allowed.
    Rate,
    /// The webhook, or all together, have as many requests in flight as allowed.
    Room,
}

impl Engine {
    /// Returns why a queued delivery still waits; `None` when it waits only for its time, or does
    /// not wait. `webhook` is its webhook. Costs one lookup, and one more if the webhook sends in
    /// order.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn wait_reason(
        &self,
        delivery: &Delivery,
        webhook: &Webhook,
    ) -> Result<Option<WaitReason>, EngineError> {
        if delivery.state != DeliveryState::Queued {
            return Ok(None);
        }
        if webhook.activity != Activity::Active {
            return Ok(Some(WaitReason::Inactive(webhook.activity)));
        }
        let owner = self.core.store.owner(delivery.owner).await?;
        if owner.is_some_and(|owner| owner.suspended) {
            return Ok(Some(WaitReason::Owner));
        }
        if webhook.mode == DeliveryMode::Fetch {
            return Ok(Some(WaitReason::Fetch));
        }
        if webhook.order == DeliveryOrder::InOrder
            && let Some(first) = self.first_open(delivery).await?
        {
            return Ok(Some(WaitReason::Behind(first)));
        }
        let (now, admission) = (self.core.clock.now()?, &self.parts.activities.admission);
        if delivery.due > now {
            return Ok(None);
        }
        // The reasons in this process.
        let here = if let Some(time) = admission.closed_for(delivery.webhook) {
            Some(WaitReason::Target(time))
        } else if !admission.has_waiting(delivery.webhook) {
            None
        } else if webhook.rate.is_some() && admission.opens_in(delivery.webhook).is_some() {
            Some(WaitReason::Rate)
        } else {
            Some(WaitReason::Room)
        };
        Ok(here)
    }

    /// The oldest delivery of the webhook that has not ended, unless it is this one.
    async fn first_open(&self, delivery: &Delivery) -> Result<Option<DeliveryId>, EngineError> {
        let query = DeliveryQuery {
            webhook: Some(delivery.webhook),
            states: vec![DeliveryState::Queued, DeliveryState::Running],
            ..DeliveryQuery::all(Page::first(1).with_bodies(Bodies::Omitted))
        };
        let open = self.core.store.list_deliveries(&query).await?;
        let first = open.first().map(|first| first.id);
        Ok(first.filter(|first| *first < delivery.id))
    }
}
