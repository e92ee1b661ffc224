//! How a delivery stands, and what made it.

use gatepost_manage::Holdup;
use gatepost_storage::webhooks::{Delivery, DeliveryState};
use maud::{Markup, html};
use webhook_model::Webhook;

use crate::context::PageContext;
use crate::delivery_cause;
use crate::delivery_names::Names;
use crate::delivery_standing::{badges, standing};
use crate::layout::{self, seen, spoken};
use crate::texts::Texts;
use crate::time::{span, stamp, stamp_or};

/// The list of facts.
pub(super) fn facts(
    ctx: &PageContext,
    delivery: &Delivery,
    webhook: Option<&Webhook>,
    holdup: Option<&Holdup>,
    names: &Names,
) -> Markup {
    let (t, now) = (ctx.texts(), ctx.now());
    let (state, _) = layout::state(t, delivery.state);
    let waits = delivery.state == DeliveryState::Queued;
    html! {
        dl {
            dt { (t.of("deliveries-state")) } dd {
                (badges(t, delivery)) " " (standing(t, delivery, webhook, holdup, now)) (spoken(&state))
                @if let Some(Holdup::Behind(first)) = holdup { " " a href=(ctx.at(&format!("/deliveries/{first}"))) { (t.with("deliveries-see", &[("id", first.to_string().into())])) } }
            }
            @if !delivery.state.is_final() && !delivery.status_info.is_empty() { dt { (t.of("deliveries-last-result")) } dd { (t.rule(&delivery.status_info)) } }
            @if let Some(status) = delivery.response_status { dt { (t.of("deliveries-status")) } dd { (status) } }
            @if let Some(took) = delivery.duration { dt { (t.of("deliveries-duration")) } dd { (span(t, took)) } }
            dt { (t.of("deliveries-attempts")) } dd { (attempts(t, delivery)) }
            dt { (t.of("deliveries-webhook")) } dd {
                @if let Some(webhook) = webhook { a href=(ctx.at(&format!("/webhooks/{}", delivery.webhook))) { (seen(webhook.name.as_str())) } }
                @else { "–" }
            }
            (delivery_cause::facts(ctx, delivery, names))
            dt { (t.of("deliveries-message-id")) } dd { code { (delivery.message_id) } }
            dt { (t.of("deliveries-queued")) } dd { (stamp(t, delivery.created, now)) }
            dt { (t.of("deliveries-last-attempt")) } dd { (stamp_or(t, delivery.last_attempt, now, &t.of("deliveries-last-attempt-none"))) }
            @if waits && holdup.is_none() { dt { (t.of("deliveries-next-attempt")) } dd { (stamp(t, delivery.due, now)) } }
        }
    }
}

/// `4 in total, 1 since the last replay`
fn attempts(t: &Texts, delivery: &Delivery) -> String {
    match (delivery.attempts, delivery.tries) {
        (all, tries) if all == tries => all.to_string(),
        (all, tries) => t.with(
            "deliveries-attempts-since-replay",
            &[("all", all.into()), ("since", tries.into())],
        ),
    }
}
