//! Replay and cancel.

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::Operation;
use gatepost_storage::webhooks::Replay;

use crate::access::Id;
use crate::failure::Failure;
use crate::session::Ctx;

const TABLE: &str = "webhooks";

pub(super) async fn replay(ctx: Ctx, Id(id): Id) -> Result<Response, Failure> {
    let (delivery, _) = ctx.delivery(id).await?;
    let which = Replay::Ids(vec![delivery.id]);
    let done = ctx.console.inner.engine.replay(&which).await?;
    answer(&ctx, id, done, Operation::Replay, "replayed")
}

pub(super) async fn cancel(ctx: Ctx, Id(id): Id) -> Result<Response, Failure> {
    let (delivery, _) = ctx.delivery(id).await?;
    let done = ctx.console.inner.engine.cancel(&[delivery.id]).await?;
    answer(&ctx, id, done, Operation::Cancel, "cancelled")
}

fn answer(
    ctx: &Ctx,
    id: i64,
    done: u64,
    operation: Operation,
    word: &str,
) -> Result<Response, Failure> {
    if done == 0 {
        let text = "The delivery is no longer in a state for that. Go back and reload the page.";
        return Err(Failure::Conflict(text.into()));
    }
    ctx.audit(TABLE, id, operation);
    let path = ctx.console.at(&format!("/deliveries/{id}?done={word}"));
    Ok(Redirect::to(&path).into_response())
}
