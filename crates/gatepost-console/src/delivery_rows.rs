//! The table of deliveries, as several pages show it.

use gatepost_storage::webhooks::Delivery;
use maud::{Markup, html};

use crate::context::PageContext;
use crate::delivery_words;
use crate::delivery_words::{badges, inactive, standing};
use crate::layout::seen;
use crate::list_view::{Column, Rank, table};
use crate::names::Names;
use crate::time::{span, stamp};

/// The order by when they were queued, by its name in the address.
pub(crate) const QUEUED: &str = "created";

/// A column of deliveries.
type Of = Column<Names, Delivery>;

const COLUMNS: &[Of] = &[
    Of::new("deliveries-delivery", |ctx, _, delivery| {
        let path = ctx.at(&format!("/deliveries/{}", delivery.id));
        html! { a href=(path) { "#" (delivery.id) } }
    }),
    Of::new("deliveries-cause", |ctx, names, delivery| {
        html! { div { (delivery_words::short(ctx, delivery, names)) } }
    }),
    Of::new("deliveries-webhook", |ctx, names, delivery| {
        let webhook = names.webhooks.get(&delivery.webhook);
        let name = webhook.map_or("–", |webhook| webhook.name.as_str());
        html! { a href=(ctx.at(&format!("/webhooks/{}", delivery.webhook))) { (seen(name)) } }
    }),
    Of::new("deliveries-state", |ctx, names, delivery| {
        let (t, webhook) = (ctx.texts(), names.webhooks.get(&delivery.webhook));
        let held = webhook.and_then(inactive);
        html! { div { (badges(t, delivery)) " " (standing(t, delivery, webhook, held.as_ref(), ctx.now())) } }
    }),
    Of::new("deliveries-status", |_, _, delivery| {
        html! { span { @match delivery.response_status { Some(status) => (status), None => "–" } } }
    }),
    Of::new("deliveries-duration", |ctx, _, delivery| {
        html! { span { @match delivery.duration { Some(took) => (span(ctx.texts(), took)), None => "–" } } }
    }),
    Of::new("deliveries-attempts", |_, _, delivery| {
        html! { span { (delivery.attempts) } }
    }),
    Of::new("deliveries-queued", |ctx, _, delivery| {
        html! { div { (stamp(ctx.texts(), delivery.created, ctx.now())) } }
    })
    .sorted(QUEUED, |_, delivery| Rank::Time(delivery.created)),
];

/// The deliveries, with what made them and how they stand. In a list that can be sorted by when
/// they were queued, `queued` is the heading of that column.
pub(crate) fn rows(
    ctx: &PageContext,
    deliveries: &[Delivery],
    names: &Names,
    queued: Option<&Markup>,
) -> Markup {
    let heading = |_: &str, sort: &str| queued.filter(|_| sort == QUEUED).cloned();
    let id = |delivery: &Delivery| format!("delivery-{}", delivery.id);
    table(ctx, "wide", COLUMNS, names, deliveries, heading, id)
}
