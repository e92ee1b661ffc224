//! Back to the page of a webhook after a change.

use axum::response::{IntoResponse, Redirect, Response};
use webhook_model::WebhookId;

use crate::context::PageContext;

/// The webhook's own page, which confirms what was done.
pub(super) fn to_webhook(ctx: &PageContext, id: WebhookId, done: &str) -> Response {
    Redirect::to(&ctx.at(&format!("/webhooks/{id}?done={done}"))).into_response()
}
