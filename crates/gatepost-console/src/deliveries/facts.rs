//! How a delivery stands, and what made it.

use gatepost_manage::Holdup;
use gatepost_storage::webhooks::{Delivery, DeliveryState};
use maud::{Markup, html};
use webhook_model::Webhook;

use crate::context::PageContext;
use crate::delivery_cause;
use crate::delivery_list::Names;
use crate::delivery_standing::{badges, standing};
use crate::layout::{self, seen, spoken};
use crate::time::{span, stamp, stamp_or};

/// The list of facts.
pub(super) fn facts(
    ctx: &PageContext,
    delivery: &Delivery,
    webhook: Option<&Webhook>,
    holdup: Option<&Holdup>,
    names: &Names,
) -> Markup {
    let now = ctx.now();
    let (state, _) = layout::state(ctx.texts(), delivery.state);
    let waits = delivery.state == DeliveryState::Queued;
    html! {
        dl {
            dt { "State" } dd {
                (badges(ctx.texts(), delivery)) " " (standing(ctx.texts(), delivery, webhook, holdup, now)) (spoken(&state))
                @if let Some(Holdup::Behind(first)) = holdup { " " a href=(ctx.at(&format!("/deliveries/{first}"))) { "See #" (first) } }
            }
            @if !delivery.state.is_final() && !delivery.status_info.is_empty() { dt { "Last result" } dd { (delivery.status_info) } }
            @if let Some(status) = delivery.response_status { dt { "Status" } dd { (status) } }
            @if let Some(took) = delivery.duration { dt { "Duration" } dd { (span(ctx.texts(), took)) } }
            dt { "Attempts" } dd { (attempts(delivery)) }
            dt { "Webhook" } dd {
                @if let Some(webhook) = webhook { a href=(ctx.at(&format!("/webhooks/{}", delivery.webhook))) { (seen(webhook.name.as_str())) } }
                @else { "–" }
            }
            (delivery_cause::facts(ctx, delivery, names))
            dt { "Message ID (webhook-id header)" } dd { code { (delivery.message_id) } }
            dt { "Queued" } dd { (stamp(ctx.texts(), delivery.created, now)) }
            dt { "Last attempt" } dd { (stamp_or(ctx.texts(), delivery.last_attempt, now, "none")) }
            @if waits && holdup.is_none() { dt { "Next attempt" } dd { (stamp(ctx.texts(), delivery.due, now)) } }
        }
    }
}

/// `4 in all, 1 of them since the last replay`
fn attempts(delivery: &Delivery) -> String {
    match (delivery.attempts, delivery.tries) {
        (all, tries) if all == tries => all.to_string(),
        (all, tries) => format!("{all} in all, {tries} of them since the last replay"),
    }
}
