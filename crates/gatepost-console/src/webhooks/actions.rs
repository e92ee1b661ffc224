//! Pause, resume, replay.

use axum::extract::Path;
use axum::response::Response;
use chrono::DateTime;
use gatepost_manage::Operation;
use gatepost_storage::webhooks::Replay;

use super::redirect::to_webhook;
use crate::failure::Failure;
use crate::context::PageContext;

pub(super) async fn act(
    ctx: PageContext,
    Path((id, what)): Path<(i64, String)>,
) -> Result<Response, Failure> {
    let row = ctx.webhook(id).await?;
    let engine = &ctx.console.engine;
    let (operation, done) = match what.as_str() {
        "pause" => {
            engine.pause_webhook(row.id).await?;
            ("pause", "paused")
        }
        "resume" => {
            engine.resume_webhook(row.id).await?;
            ("resume", "resumed")
        }
        "replay" => {
            let failed = Replay::Failed {
                webhook: row.id,
                from: DateTime::UNIX_EPOCH,
                before: ctx.now(),
            };
            engine.replay(&failed).await?;
            ("replay_failed", "replayed")
        }
        _ => return Err(Failure::NotFound),
    };
    ctx.audit("webhook_urls", id, Operation::Act(operation));
    Ok(to_webhook(&ctx, row.id, done))
}
