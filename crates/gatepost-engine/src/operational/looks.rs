//! What the log says of a webhook in trouble.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{
    Delivery, DeliveryId, DeliveryQuery, DeliveryState, HourlyCount, WebhookStore,
};
use gatepost_storage::{Bodies, Page, Scope, StoreError};
use webhook_model::WebhookId;

/// How far back an engine that starts looks for webhooks in trouble.
const BACK: TimeDelta = TimeDelta::hours(24);
/// Hours of webhooks that it reads for that.
const MOST_HOURS: u32 = 2_000;

/// The newest of a webhook's deliveries in this state, of those before `than` if that is given.
pub(super) async fn newest(
    store: &dyn WebhookStore,
    webhook: WebhookId,
    state: DeliveryState,
    than: Option<DeliveryId>,
) -> Result<Option<Delivery>, StoreError> {
    let page = Page {
        after: than,
        bodies: Bodies::Omitted,
        ..Page::newest(1)
    };
    let query = DeliveryQuery {
        webhook: Some(webhook),
        states: vec![state],
        ..DeliveryQuery::all(page)
    };
    Ok(store.list_deliveries(&query).await?.pop())
}

/// The newest delivery that was sent, of those before `than` if that is given.
pub(super) async fn sent(
    store: &dyn WebhookStore,
    webhook: WebhookId,
    than: Option<DeliveryId>,
) -> Result<Option<DeliveryId>, StoreError> {
    let newest = newest(store, webhook, DeliveryState::Sent, than).await?;
    Ok(newest.map(|delivery| delivery.id))
}

/// The webhooks of which, in the last hour in which anything was counted of them, deliveries were
/// given up and none was sent.
pub(super) async fn failing(
    store: &dyn WebhookStore,
    now: DateTime<Utc>,
) -> Result<Vec<HourlyCount>, StoreError> {
    let before = now + TimeDelta::hours(1);
    let hours = store.hourly_counts(Scope::All, None, now - BACK, before, MOST_HOURS);
    let mut newest: Vec<HourlyCount> = hours.await?;
    newest.sort_by_key(|count| (count.webhook, std::cmp::Reverse(count.hour)));
    newest.dedup_by_key(|count| count.webhook);
    newest.retain(|count| count.sent == 0 && count.failed > 0);
    Ok(newest)
}
