//! The table of deliveries that several pages show.

use gatepost_manage::WaitReason;
use gatepost_storage::webhooks::{Delivery, DeliveryState};
use maud::{Markup, html};

use crate::context::PageContext;
use crate::delivery_filter::class_name;
use crate::delivery_words;
use crate::delivery_words::{badges, inactive};
use crate::layout::{code, seen};
use crate::list_view::{Column, Rank, table};
use crate::names::Names;
use crate::time::{away, span};

/// The order by the time of queueing, by its name in the address.
pub(crate) const QUEUED: &str = "created";

/// A column of deliveries.
type Of = Column<Names, Delivery>;

const COLUMNS: &[Of] = &[
    Of::new("deliveries-state", |ctx, names, delivery| {
        let held = held(names, delivery);
        let hint = delivery_words::hint(ctx.texts(), delivery, held.as_ref());
        html! { span title=(hint) { (badges(ctx.texts(), delivery, held.as_ref())) } }
    }),
    Of::new("deliveries-cause", |ctx, names, delivery| {
        let path = ctx.at(&format!("/deliveries/{}", delivery.id));
        let cause = delivery.cause.as_ref();
        let occurrence = cause.and_then(|cause| cause.occurrence.as_ref());
        html! { a href=(path) title=[occurrence] { (seen(&delivery_words::title(ctx, delivery, names))) " " span.quiet { "#" (delivery.id) } } }
    })
    .name(),
    Of::new("deliveries-webhook", |ctx, names, delivery| {
        let webhook = names.webhooks.get(&delivery.webhook);
        let name = webhook.map_or("–", |webhook| webhook.name.as_str());
        let held = held(names, delivery);
        let held = held.map(|held| delivery_words::hint(ctx.texts(), delivery, Some(&held)));
        html! { span title=[&held] { (seen(name)) @if let Some(held) = &held { " " span.quiet { (held) } } } }
    }),
    Of::new("deliveries-status", |ctx, _, delivery| {
        html! { @match (delivery.response_status, delivery.attempts) {
            (Some(status), _) => (code(status)),
            (None, 0) => span { "–" },
            (None, _) => span.quiet { (class_name(ctx.texts(), &delivery.class)) },
        } }
    })
    .desk(),
    Of::new("deliveries-attempts", |_, _, delivery| {
        html! { span { (delivery.attempts) } }
    })
    .desk(),
    Of::new("deliveries-duration", |ctx, _, delivery| {
        html! { span { @match delivery.duration { Some(took) => (span(ctx.texts(), took)), None => "–" } } }
    })
    .desk(),
    Of::new("deliveries-queued", |ctx, _, delivery| {
        html! { (away(ctx.texts(), delivery.created, ctx.now())) }
    })
    .sorted(QUEUED, |_, delivery| Rank::Time(delivery.created))
    .when(),
];

/// Returns why a delivery waits, if its webhook does not send at all.
fn held(names: &Names, delivery: &Delivery) -> Option<WaitReason> {
    let webhook = names.webhooks.get(&delivery.webhook)?;
    inactive(webhook).filter(|_| delivery.state == DeliveryState::Queued)
}

/// Renders the deliveries with their causes and states. In a list that can be sorted by the time of
/// queueing, `queued` is the heading of that column.
pub(crate) fn rows(
    ctx: &PageContext,
    deliveries: &[Delivery],
    names: &Names,
    queued: Option<&Markup>,
) -> Markup {
    let heading = |_: &str, sort: &str| queued.filter(|_| sort == QUEUED).cloned();
    let id = |delivery: &Delivery| format!("delivery-{}", delivery.id);
    table(ctx, "lines", COLUMNS, names, deliveries, heading, id)
}
