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
    let queued = html! { th scope="col" { (ctx.texts().of("deliveries-queued")) } };
    sorted_rows(ctx, deliveries, names, &queued)
}

/// The same in a list that can be sorted by when they were queued: with that column's heading.
pub(crate) fn sorted_rows(
    ctx: &PageContext,
    deliveries: &[Delivery],
    names: &Names,
    queued: &Markup,
) -> Markup {
    let (t, now) = (ctx.texts(), ctx.now());
    html! {
        div.scroll { table.wide {
            thead { tr {
                th scope="col" { (t.of("deliveries-delivery")) } th scope="col" { (t.of("deliveries-cause")) } th scope="col" { (t.of("deliveries-webhook")) }
                th scope="col" { (t.of("deliveries-state")) } th scope="col" { (t.of("deliveries-status")) } th scope="col" { (t.of("deliveries-duration")) }
                th scope="col" { (t.of("deliveries-attempts")) } (queued)
            } }
            tbody { @for delivery in deliveries {
                @let id = delivery.id.to_string();
                @let webhook = names.webhooks.get(&delivery.webhook);
                @let held = webhook.and_then(inactive);
                tr id={ "delivery-" (id) } {
                    td data-label=(t.of("deliveries-delivery")) { a href=(ctx.at(&format!("/deliveries/{id}"))) { "#" (id) } }
                    td data-label=(t.of("deliveries-cause")) { div { (delivery_cause::short(ctx, delivery, names)) } }
                    td data-label=(t.of("deliveries-webhook")) { a href=(ctx.at(&format!("/webhooks/{}", delivery.webhook))) { (seen(webhook.map_or("–", |webhook| webhook.name.as_str()))) } }
                    td data-label=(t.of("deliveries-state")) { div { (badges(t, delivery)) " " (standing(t, delivery, webhook, held.as_ref(), now)) } }
                    td data-label=(t.of("deliveries-status")) { span { @match delivery.response_status { Some(status) => (status), None => "–" } } }
                    td data-label=(t.of("deliveries-duration")) { span { @match delivery.duration { Some(took) => (span(t, took)), None => "–" } } }
                    td data-label=(t.of("deliveries-attempts")) { span { (delivery.attempts) } }
                    td data-label=(t.of("deliveries-queued")) { div { (stamp(t, delivery.created, now)) } }
                }
            } }
        } }
    }
}

/// Whether a delivery waits for a time that is still to come: then it may be sent now instead.
pub(crate) fn may_be_hastened(ctx: &PageContext, delivery: &Delivery) -> bool {
    delivery.state == DeliveryState::Queued && delivery.due > ctx.now()
}
