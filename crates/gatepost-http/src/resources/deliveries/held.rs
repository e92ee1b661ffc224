//! Why deliveries wait that say nothing of it themselves: their webhook is disabled or paused, or
//! they are to be fetched.

use std::collections::BTreeMap;

use gatepost_manage::Actor;
use gatepost_storage::webhooks::{Delivery, DeliveryState};
use webhook_model::{Activity, DeliveryMode, WebhookId};

use crate::error::ApiError;
use crate::resource::Wanted;

/// What the webhooks of some deliveries keep them from.
#[derive(Debug, Default)]
pub(super) struct Held(BTreeMap<WebhookId, &'static str>);

/// The webhooks of those deliveries that wait; none if it is not shown why.
pub(super) fn waiting<'d>(
    deliveries: impl IntoIterator<Item = &'d Delivery>,
    columns: &Wanted,
) -> Vec<WebhookId> {
    if !columns.has("status_info") {
        return Vec::new();
    }
    let waiting = deliveries
        .into_iter()
        .filter(|delivery| is_silent(delivery));
    waiting.map(|delivery| delivery.webhook).collect()
}

/// Looks these webhooks up, by one call.
pub(super) async fn by(caller: &Actor, webhooks: Vec<WebhookId>) -> Result<Held, ApiError> {
    if webhooks.is_empty() {
        return Ok(Held::default());
    }
    let webhooks = caller.named_webhooks(webhooks).await?.into_iter();
    let held = webhooks.filter_map(|(id, webhook)| {
        let why = match (webhook.activity, webhook.mode) {
            (Activity::Disabled, _) => "the webhook is disabled",
            (Activity::Paused, _) => "the webhook is paused",
            (Activity::Active, DeliveryMode::Fetch) => "waits until it is fetched",
            (Activity::Active, DeliveryMode::Push) => return None,
        };
        Some((id, why))
    });
    Ok(Held(held.collect()))
}

impl Held {
    /// The `status_info` of a delivery: its own, or what its webhook says.
    pub(super) fn info<'a>(&self, delivery: &'a Delivery) -> &'a str {
        let held = is_silent(delivery).then(|| self.0.get(&delivery.webhook));
        match held.flatten() {
            Some(why) => why,
            None => &delivery.status_info,
        }
    }
}

fn is_silent(delivery: &Delivery) -> bool {
    delivery.state == DeliveryState::Queued && delivery.status_info.is_empty()
}
