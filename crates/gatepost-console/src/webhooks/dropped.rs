//! What a webhook should have sent and did not, because a limit was reached.

use std::borrow::Cow;

use gatepost_storage::webhooks::{DropReason, Dropped};
use maud::{Markup, html};
use webhook_model::WebhookId;

use crate::context::PageContext;
use crate::failure::Failure;
use crate::texts::Texts;
use crate::time::stamp;

/// Counts that are shown.
const SHOWN: usize = 10;

/// The newest counts of this webhook.
pub(super) async fn of(ctx: &PageContext, webhook: WebhookId) -> Result<Vec<Dropped>, Failure> {
    Ok(ctx.actor.dropped_of(webhook, SHOWN).await?)
}

/// The section of a webhook's page; nothing where nothing was dropped.
pub(super) fn section(ctx: &PageContext, dropped: &[Dropped]) -> Markup {
    let (t, now) = (ctx.texts(), ctx.now());
    let minute = t.of("webhooks-dropped-minute");
    let deliveries = t.of("webhooks-dropped-deliveries");
    let why = t.of("webhooks-dropped-reason");
    html! {
        @if !dropped.is_empty() {
            section {
                h2 { (t.of("webhooks-dropped-title")) }
                p { (t.of("webhooks-dropped")) }
                div.scroll { table {
                    thead { tr { th scope="col" { (minute) } th scope="col" { (deliveries) } th scope="col" { (why) } } }
                    tbody { @for row in dropped { tr {
                        td data-label=(minute) { div { (stamp(t, row.minute, now)) } }
                        td data-label=(deliveries) { span { (row.count) } }
                        td data-label=(why) { span { (reason(t, row.reason)) } }
                    } } }
                } }
            }
        }
    }
}

fn reason(texts: &Texts, reason: DropReason) -> Cow<'_, str> {
    match reason {
        DropReason::Waiting => texts.of("webhooks-dropped-waiting"),
        DropReason::Occurrence => texts.of("webhooks-dropped-occurrence"),
        DropReason::Rate => texts.of("webhooks-dropped-rate"),
    }
}
