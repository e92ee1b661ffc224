//! Sections of a webhook's page: the deliveries that were not stored because a limit was reached,
//! and the shell commands that fetch messages.

use gatepost_storage::Row;
use gatepost_storage::webhooks::RejectedCount;
use maud::{Markup, html};
use webhook_model::{Webhook, WebhookId};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::time::stamp;

/// The number of counts that are shown.
const SHOWN: u32 = 10;
/// The address of the API in commands if none is known.
const API: &str = "https://API/api/v4";

/// Returns the newest counts of this webhook.
pub(super) async fn of(
    ctx: &PageContext,
    webhook: WebhookId,
) -> Result<Vec<RejectedCount>, Failure> {
    Ok(ctx.actor.rejected_of(webhook, SHOWN).await?)
}

/// Renders the section of a webhook's page; nothing if every delivery was stored.
pub(super) fn section(ctx: &PageContext, rejected: &[RejectedCount]) -> Markup {
    let (t, now) = (ctx.texts(), ctx.now());
    let minute = t.of("webhooks-rejected-minute");
    let deliveries = t.of("webhooks-rejected-deliveries");
    let why = t.of("webhooks-rejected-reason");
    html! {
        @if !rejected.is_empty() {
            section {
                h2 { (t.of("webhooks-rejected-title")) }
                p { (t.of("webhooks-rejected")) }
                div.scroll { table {
                    thead { tr { th scope="col" { (minute) } th scope="col" { (deliveries) } th scope="col" { (why) } } }
                    tbody { @for row in rejected { tr {
                        td data-label=(minute) { div { (stamp(t, row.minute, now)) } }
                        td data-label=(deliveries) { span { (row.count) } }
                        td data-label=(why) { span { (t.of(&format!("webhooks-rejected-{}", row.reason.as_str()))) } }
                    } } }
                } }
            }
        }
    }
}

pub(super) fn how_to_fetch(ctx: &PageContext, row: &Row<WebhookId, Webhook>) -> Markup {
    let t = ctx.texts();
    let api = ctx.api.as_deref().unwrap_or(API);
    let line = |query: &str| {
        let url = format!("{api}/webhook_urls/{}/messages{query}", row.id);
        format!("curl -H \"Authorization: Bearer $API_KEY\" '{url}'")
    };
    html! {
        section id="fetch" {
            h2 { (t.of("webhooks-fetch-title")) }
            p { (t.of("webhooks-fetch-how")) }
            p { (t.of("webhooks-fetch-first")) }
            pre { code { (line("")) } }
            p { (t.of("webhooks-fetch-next")) }
            pre { code { (line("?after=CURSOR")) } }
            p.quiet { (t.of("webhooks-fetch-held")) }
        }
    }
}
