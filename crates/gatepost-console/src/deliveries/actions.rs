//! Replay and cancel.

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::ManageError;
use gatepost_storage::webhooks::DeliveryId;

use crate::context::PageContext;
use crate::failure::Failure;
use crate::row_id::RowId;

pub(super) async fn replay(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let result = ctx.actor.replay_delivery(DeliveryId(id)).await;
    finish(&ctx, id, result, "replayed")
}

pub(super) async fn cancel(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let result = ctx.actor.cancel_delivery(DeliveryId(id)).await;
    finish(&ctx, id, result, "cancelled")
}

fn finish(
    ctx: &PageContext,
    id: i64,
    result: Result<(), ManageError>,
    done: &str,
) -> Result<Response, Failure> {
    match result {
        Err(ManageError::WrongState) => {
            let text =
                "The state of the delivery no longer allows this. Go back and reload the page.";
            Err(Failure::Conflict(text.into()))
        }
        other => {
            other?;
            let path = ctx.at(&format!("/deliveries/{id}?done={done}"));
            Ok(Redirect::to(&path).into_response())
        }
    }
}
