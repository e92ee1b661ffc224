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
    let active = row.value.signing.iter().count();
    html! {
        p.quiet {
            @match active {
                0 => "Deliveries are not signed. With a signing secret, the target can verify that they come from this platform.",
                1 => "Deliveries are signed (Standard Webhooks).",
                _ => "The secret is being rotated: the new and the old one both sign.",
            }
        }
        div.actions {
            @if active == 0 { (new_secret(ctx, path, "Create signing secret")) }
            a.button href={ (path) "/signing" } {
                @match active {
                    0 => "How to verify signatures",
                    1 => "Rotate signing secret, verify signatures",
                    _ => "Continue the rotation",
                }
            }
        }
    }
}
