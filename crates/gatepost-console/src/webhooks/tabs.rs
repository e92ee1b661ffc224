//! The links to the pages about a webhook.

use maud::{Markup, html};
use webhook_model::WebhookId;

use crate::context::PageContext;

/// The pages: their words, which end the names of their texts, and the parts of their paths around
/// the number of the webhook.
const TABS: [(&str, &str, &str); 5] = [
    ("overview", "/webhooks/", ""),
    ("deliveries", "/deliveries?webhook=", ""),
    ("subscriptions", "/tasks?webhook=", ""),
    ("signing", "/webhooks/", "/signing"),
    ("settings", "/webhooks/", "/edit"),
];

/// Renders links to the pages about a webhook; `shown` is the word of this page.
pub(super) fn tabs(ctx: &PageContext, id: WebhookId, shown: &str) -> Markup {
    let t = ctx.texts();
    html! {
        nav.tabs aria-label=(t.of("webhooks-tabs")) { @for (tab, before, after) in TABS {
            a href=(ctx.at(&format!("{before}{id}{after}"))) aria-current=[(tab == shown).then_some("page")] { (t.of(&format!("webhooks-tab-{tab}"))) }
        } }
    }
}
