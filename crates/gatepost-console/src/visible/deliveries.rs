//! The deliveries that the caller may see, newest first.

use std::collections::BTreeMap;

use gatepost_keys::AccessLevel;
use gatepost_storage::Page;
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryQuery, DeliveryState};
use webhook_model::WebhookId;

use crate::failure::Failure;
use crate::context::PageContext;

/// Up to this number of webhooks, each is queried; beyond it, the log is read in order.
const MAX_QUERIED: usize = 20;
/// Deliveries read at a time and in total where the log is read in order.
const STRIDE: u32 = 200;
const MAX_READ: usize = 10_000;

/// Which deliveries to list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DeliveryFilter {
    pub webhook: Option<WebhookId>,
    pub state: Option<DeliveryState>,
    pub after: Option<DeliveryId>,
}

pub(crate) type Found = (Vec<Delivery>, BTreeMap<WebhookId, String>);

/// At most `limit` deliveries, and the names of their webhooks.
pub(crate) async fn newest(ctx: &PageContext, filter: DeliveryFilter, limit: u32) -> Result<Found, Failure> {
    let (found, names) = match filter.webhook {
        Some(webhook) => {
            let row = ctx.webhook(webhook.0).await?;
            let names = BTreeMap::from([(row.id, row.value.name.to_string())]);
            (page(ctx, filter, Some(webhook), limit).await?, names)
        }
        None if ctx.principal.access == AccessLevel::SystemAdministrator => {
            let found = page(ctx, filter, None, limit).await?;
            let names = names(ctx, &found).await?;
            (found, names)
        }
        None => own(ctx, filter, limit).await?,
    };
    Ok((found, names))
}

async fn page(
    ctx: &PageContext,
    filter: DeliveryFilter,
    webhook: Option<WebhookId>,
    limit: u32,
) -> Result<Vec<Delivery>, Failure> {
    let page = Page {
        after: filter.after,
        ..Page::newest(limit)
    };
    let query = DeliveryQuery {
        webhook,
        states: filter.state.into_iter().collect(),
        ..DeliveryQuery::all(page)
    };
    Ok(ctx.console.engine.list_deliveries(&query).await?)
}

/// For a caller who may see only some: those of each webhook, or the log in order.
async fn own(ctx: &PageContext, filter: DeliveryFilter, limit: u32) -> Result<Found, Failure> {
    let webhooks = ctx.webhooks(Page::newest(1), MAX_QUERIED + 1).await?;
    let names: BTreeMap<_, _> = webhooks
        .iter()
        .map(|row| (row.id, row.value.name.to_string()))
        .collect();
    let most = limit as usize;
    let mut rows = Vec::new();
    if names.len() <= MAX_QUERIED {
        for webhook in names.keys() {
            rows.extend(page(ctx, filter, Some(*webhook), limit).await?);
        }
        rows.sort_by_key(|delivery| std::cmp::Reverse(delivery.id));
        rows.truncate(most);
        return Ok((rows, names));
    }
    let mut at = filter;
    for _ in 0..MAX_READ / STRIDE as usize {
        let found = page(ctx, at, None, STRIDE).await?;
        let more = found.len() >= STRIDE as usize;
        at.after = found.last().map(|delivery| delivery.id);
        let visible = self::names(ctx, &found).await?;
        rows.extend(
            found
                .into_iter()
                .filter(|delivery| visible.contains_key(&delivery.webhook)),
        );
        if !more || rows.len() >= most {
            break;
        }
    }
    rows.truncate(most);
    let names = self::names(ctx, &rows).await?;
    Ok((rows, names))
}

/// The names of those webhooks that the caller may see.
async fn names(ctx: &PageContext, of: &[Delivery]) -> Result<BTreeMap<WebhookId, String>, Failure> {
    let console = &ctx.console;
    let mut authority = console.keys.authority(&ctx.principal);
    let mut names: BTreeMap<WebhookId, Option<String>> = BTreeMap::new();
    for delivery in of {
        if names.contains_key(&delivery.webhook) {
            continue;
        }
        let name = match console.engine.webhook(delivery.webhook).await? {
            Some(row) if authority.may_manage(row.value.owner).await? => {
                Some(row.value.name.to_string())
            }
            _ => None,
        };
        names.insert(delivery.webhook, name);
    }
    Ok(names
        .into_iter()
        .filter_map(|(id, name)| Some((id, name?)))
        .collect())
}
