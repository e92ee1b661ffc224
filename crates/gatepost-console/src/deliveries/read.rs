//! The deliveries that are the caller's to see, newest first.

use std::collections::BTreeMap;

use gatepost_keys::AccessLevel;
use gatepost_storage::Page;
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryQuery, DeliveryState};
use webhook_model::WebhookId;

use crate::failure::Failure;
use crate::session::Ctx;

/// Webhooks of one user that are asked one by one; with more than these, the log is walked.
const MOST_ASKED: usize = 20;
/// Deliveries read at a time, and in all, where the log is walked.
const STRIDE: u32 = 200;
const MOST: usize = 10_000;

/// Which deliveries.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub webhook: Option<WebhookId>,
    pub state: Option<DeliveryState>,
    pub after: Option<DeliveryId>,
}

pub(crate) type Found = (Vec<Delivery>, BTreeMap<WebhookId, String>);

/// At most `limit` deliveries, and the names of their webhooks.
pub(crate) async fn newest(ctx: &Ctx, wanted: Wanted, limit: u32) -> Result<Found, Failure> {
    let (found, names) = match wanted.webhook {
        Some(webhook) => {
            let row = ctx.webhook(webhook.0).await?;
            let names = BTreeMap::from([(row.id, row.value.name.to_string())]);
            (page(ctx, wanted, Some(webhook), limit).await?, names)
        }
        None if ctx.principal.access == AccessLevel::SystemAdministrator => {
            let found = page(ctx, wanted, None, limit).await?;
            let names = names(ctx, &found).await?;
            (found, names)
        }
        None => own(ctx, wanted, limit).await?,
    };
    Ok((found, names))
}

async fn page(
    ctx: &Ctx,
    wanted: Wanted,
    webhook: Option<WebhookId>,
    limit: u32,
) -> Result<Vec<Delivery>, Failure> {
    let page = Page {
        after: wanted.after,
        ..Page::newest(limit)
    };
    let query = DeliveryQuery {
        webhook,
        states: wanted.state.into_iter().collect(),
        ..DeliveryQuery::all(page)
    };
    Ok(ctx.console.inner.engine.list_deliveries(&query).await?)
}

/// For a caller who may see only some: of each of a few webhooks, or the log is walked.
async fn own(ctx: &Ctx, wanted: Wanted, limit: u32) -> Result<Found, Failure> {
    let webhooks = ctx.webhooks(Page::newest(1), MOST_ASKED + 1).await?;
    let names: BTreeMap<_, _> = webhooks
        .iter()
        .map(|row| (row.id, row.value.name.to_string()))
        .collect();
    let most = limit as usize;
    let mut rows = Vec::new();
    if names.len() <= MOST_ASKED {
        for webhook in names.keys() {
            rows.extend(page(ctx, wanted, Some(*webhook), limit).await?);
        }
        rows.sort_by_key(|delivery| std::cmp::Reverse(delivery.id));
        rows.truncate(most);
        return Ok((rows, names));
    }
    let mut at = wanted;
    for _ in 0..MOST / STRIDE as usize {
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

/// The names of those webhooks that are the caller's to see.
async fn names(ctx: &Ctx, of: &[Delivery]) -> Result<BTreeMap<WebhookId, String>, Failure> {
    let inner = &ctx.console.inner;
    let mut authority = inner.keys.authority(&ctx.principal);
    let mut looked_at: BTreeMap<WebhookId, Option<String>> = BTreeMap::new();
    for delivery in of {
        if looked_at.contains_key(&delivery.webhook) {
            continue;
        }
        let name = match inner.engine.webhook(delivery.webhook).await? {
            Some(row) if authority.may_manage(row.value.owner).await? => {
                Some(row.value.name.to_string())
            }
            _ => None,
        };
        looked_at.insert(delivery.webhook, name);
    }
    Ok(looked_at
        .into_iter()
        .filter_map(|(id, name)| Some((id, name?)))
        .collect())
}
