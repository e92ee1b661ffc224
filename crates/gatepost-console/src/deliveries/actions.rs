//! Replay and cancel.

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::Operation;
use gatepost_storage::webhooks::Replay;

use crate::row_id::RowId;
use crate::failure::Failure;
use crate::context::PageContext;

const TABLE: &str = "webhooks";

pub(super) async fn replay(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let (delivery, _) = ctx.delivery(id).await?;
    let which = Replay::Ids(vec![delivery.id]);
    let done = ctx.console.engine.replay(&which).await?;
    finish(&ctx, id, done, "replay", "replayed")
}

pub(super) async fn cancel(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let (delivery, _) = ctx.delivery(id).await?;
    let done = ctx.console.engine.cancel(&[delivery.id]).await?;
    finish(&ctx, id, done, "cancel", "cancelled")
}

fn finish(
    ctx: &PageContext,
    id: i64,
    done: u64,
    operation: &'static str,
    done_word: &str,
) -> Result<Response, Failure> {
    if done == 0 {
        let text = "The state of the delivery no longer allows this. Go back and reload the page.";
        return Err(Failure::Conflict(text.into()));
    }
    ctx.audit(TABLE, id, Operation::Act(operation));
    let path = ctx.at(&format!("/deliveries/{id}?done={done_word}"));
    Ok(Redirect::to(&path).into_response())
}
