//! Pause and resume.

use axum::extract::Path;
use axum::response::Response;
use webhook_model::WebhookId;

use super::redirect::to_webhook;
use crate::context::PageContext;
use crate::failure::Failure;

pub(super) async fn act(
    ctx: PageContext,
    Path((id, action)): Path<(i64, String)>,
) -> Result<Response, Failure> {
    let (actor, id) = (&ctx.actor, WebhookId(id));
    let done = match action.as_str() {
        "pause" => actor.pause_webhook(id).await.map(|_| "paused")?,
        "resume" => actor.resume_webhook(id).await.map(|_| "resumed")?,
        _ => return Err(Failure::NotFound),
    };
    Ok(to_webhook(&ctx, id, done))
}
