//! Replay, retry now and cancel.

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::ManageError;
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryState};
use maud::{Markup, html};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{Section, confirm_or, one_button, page, state};
use crate::row_id::RowId;

/// What the state allows.
pub(super) fn buttons(ctx: &PageContext, delivery: &Delivery) -> Markup {
    let t = ctx.texts();
    let at = |what: &str| ctx.at(&format!("/deliveries/{}/{what}", delivery.id));
    html! {
        @if delivery.state.is_final() && delivery.message_kept { (one_button(ctx, &at("replay"), "", &t.of("deliveries-replay"), None)) }
        @if may_be_hastened(ctx, delivery) { (one_button(ctx, &at("retry"), "", &t.of("deliveries-retry-now"), None)) }
        @if delivery.state == DeliveryState::Queued { a.button.danger href=(at("cancel")) { (t.of("deliveries-cancel")) } }
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
    let t = ctx.texts();
    let question = match delivery.tries {
        0 => "deliveries-cancel-first",
        _ => "deliveries-cancel-again",
    };
    let ended = html! { strong { (state(t, DeliveryState::Error).0) } };
    let parts = [("id", id.to_string().into()), ("state", ended.into())];
    let what = html! {
        p { (t.markup(question, &parts)) }
        @if delivery.message_kept { p.quiet { (t.of("deliveries-cancel-kept")) } }
    };
    let (button, keep) = (
        t.of("deliveries-cancel-button"),
        t.of("deliveries-cancel-back"),
    );
    let body = confirm_or(&ctx, &what, [&button, &keep], &back, &html! {}, None);
    let title = t.with("deliveries-cancel-title", &[("id", id.to_string().into())]);
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
            let text = ctx.texts().of("deliveries-changed");
            Err(Failure::Conflict(text.into_owned()))
        }
        other => {
            other?;
            let path = ctx.at(&format!("/deliveries/{id}?done={done}"));
            Ok(Redirect::to(&path).into_response())
        }
    }
}

/// Whether a delivery waits for a time that is still to come: then it may be sent now instead.
fn may_be_hastened(ctx: &PageContext, delivery: &Delivery) -> bool {
    delivery.state == DeliveryState::Queued && delivery.due > ctx.now()
}
