//! The signing section of a webhook's page.

use gatepost_storage::Row;
use maud::{Markup, html};
use webhook_model::{Webhook, WebhookId};

use crate::context::PageContext;
use crate::layout::one_button;
use crate::tickets::Tickets;

/// Whether deliveries are signed, and the buttons to change that.
pub(super) fn signing_controls(
    ctx: &PageContext,
    row: &Row<WebhookId, Webhook>,
    path: &str,
) -> Markup {
    let active = row.value.signing.iter().count();
    let text = if active == 0 {
        "Create signing secret"
    } else {
        "Rotate signing secret"
    };
    html! {
        p.quiet {
            @match active {
                0 => "Deliveries are not signed. With a signing secret, the target can verify that they come from this platform.",
                1 => "Deliveries are signed (Standard Webhooks). Rotating creates a new secret; the current one keeps signing until the next rotation.",
                _ => "Deliveries are signed with two secrets: the current one and the previous one.",
            }
        }
        div.actions {
            form method="post" action={ (path) "/signing" } {
                input type="hidden" name="csrf" value=(ctx.csrf);
                input type="hidden" name="ticket" value=(Tickets::issue());
                button { (text) }
            }
            @if active > 0 { (one_button(ctx, &format!("{path}/signing/remove"), "danger", "Stop signing", "")) }
        }
    }
}
