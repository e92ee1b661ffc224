//! The page of one delivery, with its attempts.

use axum::Json;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryState};
use maud::html;
use serde_json::{Value, json};

use super::{attempts, message};
use crate::context::PageContext;
use crate::delivery_rows::states;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, Section, note, one_button, page_with, seen};
use crate::row_id::RowId;
use crate::time::{stamp, stamp_or};

pub(super) async fn show(
    ctx: PageContext,
    RowId(id): RowId,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let (delivery, webhook) = ctx.actor.delivery(DeliveryId(id)).await?;
    let attempts = ctx.actor.attempts(delivery.id, attempts::SHOWN).await?;
    let task = match delivery.task {
        Some(task) => ctx.actor.task(task).await.ok(),
        None => None,
    };
    let done = match Form::parse(query.unwrap_or_default().as_bytes()).text("done") {
        "replayed" => "The delivery was queued again with the same message and ID.",
        "cancelled" => "The delivery was cancelled.",
        _ => "",
    };
    let at = |what: &str| ctx.at(&format!("/deliveries/{id}/{what}"));
    let now = ctx.now();
    let (state, kind) = layout::state(delivery.state);
    let actions = html! {
        @if delivery.state.is_final() && delivery.message_kept { (one_button(&ctx, &at("replay"), "", "Replay", "")) }
        @if delivery.state == DeliveryState::Queued { (one_button(&ctx, &at("cancel"), "danger", "Cancel", "")) }
    };
    let body = html! {
        @if !done.is_empty() { (note("good", &html! { (done) })) }
        div data-live=(at("live")) {
            section {
                dl {
                    dt { "State" } dd { span class={ "badge " (kind) } data-state=(id) { (state) } " " span data-text="info" { (delivery.status_info) } }
                    dt { "Webhook" } dd {
                        @if let Some(webhook) = &webhook { a href=(ctx.at(&format!("/webhooks/{}", webhook.id))) { (seen(webhook.value.name.as_str())) } }
                        @else { "–" }
                    }
                    dt { "Source" } dd {
                        @match (&task, delivery.task) {
                            (Some(task), _) => { "Task " a href=(ctx.at(&format!("/tasks/{}/edit", task.id))) { (task.task.name) } }
                            (None, Some(_)) => "A deleted task",
                            (None, None) => "Sent manually",
                        }
                    }
                    dt { "Message ID (webhook-id header)" } dd { code { (delivery.message_id) } }
                    dt { "Queued" } dd { (stamp(delivery.created, now)) }
                    dt { "Last attempt" } dd { (stamp_or(delivery.last_attempt, now, "none")) }
                    @if delivery.state == DeliveryState::Queued { dt { "Next attempt" } dd { (stamp(delivery.due, now)) } }
                }
                p role="status" { a href="" data-text="more" data-hide hidden {} }
            }
        }
        (message::section(&ctx, &delivery))
        section {
            h2 { "Attempts" }
            @if attempts.is_empty() { p.quiet { "None yet." } }
            @else { (attempts::table(&ctx, &attempts)) }
        }
    };
    let title = format!("Delivery #{id}");
    Ok(page_with(&ctx, Section::Deliveries, &title, &actions, &body).into_response())
}

/// The state, for the script.
pub(super) async fn live(ctx: PageContext, RowId(id): RowId) -> Result<Json<Value>, Failure> {
    let (delivery, _) = ctx.actor.delivery(DeliveryId(id)).await?;
    let more = match delivery.state {
        DeliveryState::Running => "An attempt is in progress. Show it",
        _ => "",
    };
    let texts = json!({"info": delivery.status_info, "more": more});
    Ok(Json(
        json!({"texts": texts, "states": states(std::slice::from_ref::<Delivery>(&delivery))}),
    ))
}
