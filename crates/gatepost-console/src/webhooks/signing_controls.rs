//! The signing section of a webhook's page.

use gatepost_storage::Row;
use maud::{Markup, html};
use webhook_model::{Webhook, WebhookId};

use super::signing_page::new_secret;
use crate::context::PageContext;

/// Whether deliveries are signed, and the way to change that.
pub(super) fn signing_controls(
    ctx: &PageContext,
    row: &Row<WebhookId, Webhook>,
    path: &str,
) -> Markup {
    let (t, active) = (ctx.texts(), row.value.signing.iter().count());
    html! {
        p.quiet {
            @match active {
                0 => (t.of("webhooks-signing-none")),
                1 => (t.of("webhooks-signing-one")),
                _ => (t.of("webhooks-signing-two")),
            }
        }
        div.actions {
            @if active == 0 { (new_secret(ctx, path, &t.of("webhooks-signing-create"))) }
            a.button href={ (path) "/signing" } {
                @match active {
                    0 => (t.of("webhooks-signing-page-none")),
                    1 => (t.of("webhooks-signing-page-one")),
                    _ => (t.of("webhooks-signing-page-two")),
                }
            }
        }
    }
}
