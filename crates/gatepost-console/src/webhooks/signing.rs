//! Signing secrets: made, rotated, removed; each is shown once.

use axum::response::Response;
use gatepost_manage::Operation;
use gatepost_storage::Row;
use maud::{Markup, html};
use webhook_model::{SigningSecret, SigningSecrets, Webhook, WebhookId};

use super::change::{TABLE, over, to};
use crate::access::Id;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{note, one_button};
use crate::reveal::{Secret, popup};
use crate::session::{Ctx, Tickets};

/// Old secrets that still sign beside the new one, so that the target can change over in its own
/// time.
const OVERLAP: usize = 1;

/// What stands on the page of a webhook.
pub(super) fn controls(ctx: &Ctx, row: &Row<WebhookId, Webhook>, path: &str) -> Markup {
    let active = row.value.signing.iter().count();
    let text = if active == 0 {
        "Make signing secret"
    } else {
        "Rotate signing secret"
    };
    html! {
        p.quiet {
            @match active {
                0 => "Deliveries are not signed. With a secret, the target can tell that a delivery is from here.",
                1 => "Deliveries are signed (Standard Webhooks). Rotating makes a new secret; the present one goes on signing until the rotation after that.",
                _ => "Deliveries are signed with two secrets, the new and the one before it.",
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

pub(super) async fn rotate(ctx: Ctx, Id(id): Id, sent: Form) -> Result<Response, Failure> {
    let row = ctx.webhook(id).await?;
    if !ctx.console.inner.tickets.take(sent.text("ticket")) {
        let text = html! { "This form was sent before. The secret was shown then; if you did not keep it, rotate again." };
        return over(&ctx, &row, &note("warn", &text)).await;
    }
    let secret = SigningSecret::from_random(rand::random());
    let edited = ctx.console.inner.engine.edit_webhook(row.id, |webhook| {
        webhook.signing = webhook.signing.rotated(secret.clone(), OVERLAP);
        Ok(())
    });
    let row = edited.await?;
    ctx.audit(TABLE, id, Operation::RotateSecret);
    reveal(&ctx, &row, &secret).await
}

pub(super) async fn remove(ctx: Ctx, Id(id): Id) -> Result<Response, Failure> {
    let row = ctx.webhook(id).await?;
    let edited = ctx.console.inner.engine.edit_webhook(row.id, |webhook| {
        webhook.signing = SigningSecrets::none();
        Ok(())
    });
    edited.await?;
    ctx.audit(TABLE, id, Operation::Update);
    Ok(to(&ctx, row.id, "unsigned"))
}

/// The webhook's page under the popup that shows the secret.
pub(super) async fn reveal(
    ctx: &Ctx,
    row: &Row<WebhookId, Webhook>,
    secret: &SigningSecret,
) -> Result<Response, Failure> {
    let list = ctx.console.at(&format!("/webhooks/{}", row.id));
    let shown = popup(&Secret {
        title: "The webhook's signing secret",
        text: secret.expose(),
        advice: "This is the only time that the secret is shown. Give it to the target, which verifies deliveries with it. If it is lost, rotate it.",
        list: &list,
        file: None,
    });
    over(ctx, row, &shown).await
}
