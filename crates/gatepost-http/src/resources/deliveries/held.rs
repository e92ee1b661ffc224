//! The reasons why deliveries wait that are not in the delivery itself: the webhook is disabled or
//! paused, or in the mode *fetch*.

use std::collections::BTreeMap;

use gatepost_manage::Actor;
use gatepost_storage::webhooks::{Delivery, DeliveryState};
use webhook_model::{Activity, DeliveryMode, WebhookId};

use crate::error::Result;
use crate::resource::Wanted;

/// The reasons by webhook.
#[derive(Debug, Default)]
pub(super) struct Held(BTreeMap<WebhookId, &'static str>);

/// Returns the webhooks of those deliveries that wait; none if the reason is not shown.
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

/// Looks these webhooks up in one call.
pub(super) async fn by(caller: &Actor, webhooks: Vec<WebhookId>) -> Result<Held> {
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
    /// Returns the `status_info` of a delivery: its own, or the reason of its webhook.
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
