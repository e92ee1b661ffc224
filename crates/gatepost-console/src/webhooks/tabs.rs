//! The links to the pages about a webhook.

use maud::{Markup, html};
use webhook_model::WebhookId;

use crate::context::PageContext;

/// A page about a webhook.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Tab {
    Overview,
    Deliveries,
    Subscriptions,
    Signing,
    Settings,
}

/// Renders links to the pages about a webhook.
pub(super) fn tabs(ctx: &PageContext, id: WebhookId, shown: Tab) -> Markup {
    let t = ctx.texts();
    let tabs = [
        (
            Tab::Overview,
            format!("/webhooks/{id}"),
            "webhooks-tab-overview",
        ),
        (
            Tab::Deliveries,
            format!("/deliveries?webhook={id}"),
            "webhooks-deliveries-title",
        ),
        (
            Tab::Subscriptions,
            format!("/tasks?webhook={id}"),
            "webhooks-tab-subscriptions",
        ),
        (
            Tab::Signing,
            format!("/webhooks/{id}/signing"),
            "webhooks-signing-title",
        ),
        (
            Tab::Settings,
            format!("/webhooks/{id}/edit"),
            "webhooks-tab-settings",
        ),
    ];
    html! {
        nav.tabs aria-label=(t.of("webhooks-tabs")) { @for (tab, path, name) in tabs {
            a href=(ctx.at(&path)) aria-current=[(tab == shown).then_some("page")] { (t.of(name)) }
        } }
    }
}
