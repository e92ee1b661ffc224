//! Back to the page of a webhook after a change.

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_storage::Row;
use webhook_model::{DeliveryMode, Webhook, WebhookId};

use super::target::{NO_ADDRESS, leads_nowhere};
use crate::context::PageContext;

/// The webhook's own page, which confirms what was done.
pub(super) fn to_webhook(ctx: &PageContext, id: WebhookId, done: &str) -> Response {
    Redirect::to(&ctx.at(&format!("/webhooks/{id}?done={done}"))).into_response()
}

/// As [`to_webhook`], after the form was saved: the page tells if the host name leads nowhere.
pub(super) async fn to_saved(
    ctx: &PageContext,
    row: &Row<WebhookId, Webhook>,
    done: &str,
) -> Response {
    if row.value.mode == DeliveryMode::Push && leads_nowhere(ctx, &row.value.url).await {
        return to_webhook(ctx, row.id, &format!("{done}&target={NO_ADDRESS}"));
    }
    to_webhook(ctx, row.id, done)
}
