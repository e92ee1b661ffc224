//! The table of deliveries, as several pages show it.

use gatepost_storage::webhooks::{Delivery, DeliveryState};
use maud::{Markup, html};

use crate::context::PageContext;
use crate::delivery_cause;
use crate::delivery_list::Names;
use crate::delivery_standing::{badges, inactive, standing};
use crate::layout::seen;
use crate::time::{span, stamp};

/// The deliveries, with what made them and how they stand.
pub(crate) fn rows(ctx: &PageContext, deliveries: &[Delivery], names: &Names) -> Markup {
    let now = ctx.now();
    html! {
        div.scroll { table {
            thead { tr {
                th scope="col" { "Delivery" } th scope="col" { "Cause" } th scope="col" { "Webhook" }
                th scope="col" { "State" } th scope="col" { "Status" } th scope="col" { "Duration" }
                th scope="col" { "Attempts" } th scope="col" { "Queued" }
            } }
            tbody { @for delivery in deliveries {
                @let id = delivery.id.to_string();
                @let webhook = names.webhooks.get(&delivery.webhook);
                @let held = webhook.and_then(inactive);
                tr id={ "delivery-" (id) } {
                    td data-label="Delivery" { a href=(ctx.at(&format!("/deliveries/{id}"))) { "#" (id) } }
                    td data-label="Cause" { div { (delivery_cause::short(ctx, delivery, names)) } }
                    td data-label="Webhook" { a href=(ctx.at(&format!("/webhooks/{}", delivery.webhook))) { (seen(webhook.map_or("–", |webhook| webhook.name.as_str()))) } }
                    td data-label="State" { div { (badges(ctx.texts(), delivery)) " " (standing(ctx.texts(), delivery, webhook, held.as_ref(), now)) } }
                    td data-label="Status" { span { @match delivery.response_status { Some(status) => (status), None => "–" } } }
                    td data-label="Duration" { span { @match delivery.duration { Some(took) => (span(ctx.texts(), took)), None => "–" } } }
                    td data-label="Attempts" { span { (delivery.attempts) } }
                    td data-label="Queued" { div { (stamp(ctx.texts(), delivery.created, now)) } }
                }
            } }
        } }
    }
}

/// Whether a delivery waits for a time that is still to come: then it may be sent now instead.
pub(crate) fn may_be_hastened(ctx: &PageContext, delivery: &Delivery) -> bool {
    delivery.state == DeliveryState::Queued && delivery.due > ctx.now()
}
