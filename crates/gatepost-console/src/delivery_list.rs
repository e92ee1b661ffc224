//! The newest deliveries that the caller may see, as several pages show them.

use std::collections::BTreeMap;

use gatepost_manage::Listed;
use gatepost_storage::Page;
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryQuery, DeliveryState};
use webhook_model::WebhookId;

use crate::context::PageContext;
use crate::failure::Failure;
use crate::paging::newest_rows;

/// Which deliveries to list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DeliveryFilter {
    pub webhook: Option<WebhookId>,
    pub state: Option<DeliveryState>,
    /// How the last attempt ended.
    pub class: Option<&'static str>,
    pub after: Option<DeliveryId>,
}

/// At most `limit` deliveries, newest first. A webhook that the caller may not see is not found.
pub(crate) async fn newest(
    ctx: &PageContext,
    filter: DeliveryFilter,
    limit: u32,
) -> Result<Listed<Delivery, DeliveryId>, Failure> {
    if let Some(webhook) = filter.webhook {
        ctx.actor.webhook(webhook).await?;
    }
    let page = Page {
        after: filter.after,
        ..newest_rows(limit)
    };
    let query = DeliveryQuery {
        webhook: filter.webhook,
        states: filter.state.into_iter().collect(),
        class: filter.class.map(str::to_owned),
        ..DeliveryQuery::all(page)
    };
    Ok(ctx.actor.deliveries(&query).await?)
}

/// The names of the webhooks of these deliveries.
pub(crate) async fn webhook_names(
    ctx: &PageContext,
    deliveries: &[Delivery],
) -> Result<BTreeMap<WebhookId, String>, Failure> {
    let ids = deliveries.iter().map(|delivery| delivery.webhook);
    Ok(ctx.actor.webhook_names(ids).await?)
}
