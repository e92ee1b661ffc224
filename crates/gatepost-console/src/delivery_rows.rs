//! The table of deliveries, as several pages show it.

use std::collections::BTreeMap;

use gatepost_storage::webhooks::{Delivery, DeliveryState};
use maud::{Markup, html};
use webhook_model::WebhookId;

use crate::context::PageContext;
use crate::layout;
use crate::layout::seen;
use crate::time::stamp;

/// The deliveries, each with the name of its webhook.
pub(crate) fn rows(
    ctx: &PageContext,
    deliveries: &[Delivery],
    names: &BTreeMap<WebhookId, String>,
) -> Markup {
    let now = ctx.now();
    html! {
        div.scroll { table {
            thead { tr {
                th scope="col" { "Delivery" } th scope="col" { "Webhook" } th scope="col" { "State" }
                th scope="col" { "Result" } th scope="col" { "Attempts" } th scope="col" { "Queued" } th scope="col" { "Next attempt" }
            } }
            tbody { @for delivery in deliveries {
                @let id = delivery.id.to_string();
                @let (state, kind) = layout::state(delivery.state);
                tr id={ "delivery-" (id) } {
                    td data-label="Delivery" { a href=(ctx.at(&format!("/deliveries/{id}"))) { "#" (id) } }
                    td data-label="Webhook" { a href=(ctx.at(&format!("/webhooks/{}", delivery.webhook))) { (seen(names.get(&delivery.webhook).map_or("–", String::as_str))) } }
                    td data-label="State" { span { (layout::badge(kind, state)) @if delivery.message_id.is_test() { " " (layout::badge("busy", "test")) } } }
                    td data-label="Result" { span { (delivery.status_info) } }
                    td data-label="Attempts" { span { (delivery.attempts) } }
                    td data-label="Queued" { div { (stamp(delivery.created, now)) } }
                    td data-label="Next attempt" { div { @if delivery.state == DeliveryState::Queued { (stamp(delivery.due, now)) } @else { span.quiet { "–" } } } }
                }
            } }
        } }
    }
}
