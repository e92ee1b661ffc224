//! Replay, retry now and cancel.

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::ManageError;
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryState};
use maud::{Markup, html};

use crate::context::PageContext;
use crate::delivery_rows::may_be_hastened;
use crate::failure::Failure;
use crate::layout::{Section, confirm, one_button, page};
use crate::row_id::RowId;

/// What the state allows.
pub(super) fn buttons(ctx: &PageContext, delivery: &Delivery) -> Markup {
    let at = |what: &str| ctx.at(&format!("/deliveries/{}/{what}", delivery.id));
    html! {
        @if delivery.state.is_final() && delivery.message_kept { (one_button(ctx, &at("replay"), "", "Replay", "")) }
        @if may_be_hastened(ctx, delivery) { (one_button(ctx, &at("retry"), "", "Retry now", "")) }
        @if delivery.state == DeliveryState::Queued { a.button.danger href=(at("cancel")) { "Cancel" } }
    }
}

/// What was done, as the address says.
pub(super) fn done(word: &str) -> &'static str {
    match word {
        "replayed" => "The delivery was queued again with the same message and ID.",
        "retried" => "The delivery is due now.",
        "cancelled" => "The delivery was cancelled.",
        "tested" => "The test was sent. Its request and the response are shown here.",
        _ => "",
    }
}

pub(super) async fn replay(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let result = ctx.actor.replay_delivery(DeliveryId(id)).await;
    finish(&ctx, id, result, "replayed")
}

pub(super) async fn retry(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let result = ctx.actor.retry_delivery(DeliveryId(id)).await;
    finish(&ctx, id, result, "retried")
}

/// Asks before a delivery is cancelled.
pub(super) async fn ask(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let (delivery, _) = ctx.actor.delivery(DeliveryId(id)).await?;
    let back = ctx.at(&format!("/deliveries/{id}"));
    if delivery.state != DeliveryState::Queued {
        return Ok(Redirect::to(&back).into_response());
    }
    let what = html! {
        p { "Delivery #" (id) " will not be sent" @if delivery.tries > 0 { " again" } ". It ends with the state " strong { "error" } "." }
        @if delivery.message_kept { p.quiet { "It can be replayed later." } }
    };
    let body = confirm(&ctx, &what, "Cancel the delivery", &back, &html! {}, None);
    let title = format!("Cancel delivery #{id}?");
    Ok(page(&ctx, Section::Deliveries, &title, &body).into_response())
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
