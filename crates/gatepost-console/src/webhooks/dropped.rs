//! What a webhook should have sent and did not, because a limit was reached.

use gatepost_storage::webhooks::{DropReason, Dropped};
use maud::{Markup, html};
use webhook_model::WebhookId;

use crate::context::PageContext;
use crate::failure::Failure;
use crate::time::stamp;

/// Counts of all webhooks that are looked through for those of one.
const READ: u32 = 1_000;
/// Counts that are shown.
const SHOWN: usize = 10;

/// The newest counts of this webhook.
pub(super) async fn of(ctx: &PageContext, webhook: WebhookId) -> Result<Vec<Dropped>, Failure> {
    let all = ctx.actor.dropped(READ).await?.into_iter();
    let own = all.filter(|count| count.webhook == webhook);
    Ok(own.take(SHOWN).collect())
}

/// The section of a webhook's page; nothing where nothing was dropped.
pub(super) fn section(ctx: &PageContext, dropped: &[Dropped]) -> Markup {
    let now = ctx.now();
    html! {
        @if !dropped.is_empty() {
            section {
                h2 { "Dropped" }
                p { "A limit was reached, so these deliveries were counted and not stored. They are not sent." }
                div.scroll { table {
                    thead { tr { th scope="col" { "Minute" } th scope="col" { "Deliveries" } th scope="col" { "Reason" } } }
                    tbody { @for row in dropped { tr {
                        td data-label="Minute" { div { (stamp(ctx.texts(), row.minute, now)) } }
                        td data-label="Deliveries" { span { (row.count) } }
                        td data-label="Reason" { span { (reason(row.reason)) } }
                    } } }
                } }
            }
        }
    }
}

fn reason(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Waiting => "As many deliveries, or as many bytes, were waiting as allowed.",
        DropReason::Occurrence => {
            "One occurrence ran as many tasks, or made as many bytes, as allowed."
        }
    }
}
