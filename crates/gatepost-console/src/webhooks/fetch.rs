//! How the messages of a webhook are fetched, as lines to be pasted into a shell.

use gatepost_storage::Row;
use maud::{Markup, html};
use webhook_model::{Webhook, WebhookId};

use crate::context::PageContext;

/// Where the API is, unless the platform says so.
const API: &str = "https://API/api/v4";

pub(super) fn how_to_fetch(ctx: &PageContext, row: &Row<WebhookId, Webhook>) -> Markup {
    let t = ctx.texts();
    let set = ctx.console.api.as_ref().map(|api| api.as_str());
    let api = set.unwrap_or(API).trim_end_matches('/');
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
