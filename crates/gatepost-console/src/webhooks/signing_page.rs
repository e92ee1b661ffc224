//! The page about a webhook's signatures: where it stands, the next step, and how to verify.

use axum::response::{IntoResponse, Response};
use gatepost_storage::Row;
use maud::{Markup, html};
use webhook_model::{SigningSecret, Webhook, WebhookId};

use super::verify::{self, Scheme};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{self, Section, page};
use crate::row_id::RowId;
use crate::tickets::Tickets;

/// The steps of a rotation.
const STEPS: [&str; 4] = [
    "Add a new secret. From then on, both the new and the old secret sign each delivery.",
    "Give the new secret to the target, in place of the old one.",
    "Send a test, and check that the target accepts it.",
    "Remove the old secret. Only the new one signs.",
];

pub(super) async fn show(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let path = ctx.at(&format!("/webhooks/{id}"));
    let newest = row.value.signing.iter().next();
    let scheme = newest.map_or(Scheme::Hmac, Scheme::of);
    let public_key = newest.and_then(SigningSecret::public_key);
    let body = html! {
        p { a href=(path) { "Back to " (layout::seen(row.value.name.as_str())) } }
        (rotation(&ctx, &row, &path))
        (verify::section(scheme, public_key.as_deref()))
    };
    let title = format!("Signing of {}", row.value.name);
    Ok(page(&ctx, Section::Webhooks, &title, &body).into_response())
}

/// The guide through a rotation: by how many secrets sign, the step at which it stands.
fn rotation(ctx: &PageContext, row: &Row<WebhookId, Webhook>, path: &str) -> Markup {
    let active = row.value.signing.iter().count();
    let next = match active {
        0 | 1 => 0,
        _ => 1,
    };
    html! {
        section {
            h2 { "Signing secret" }
            p { @match active {
                0 => "Deliveries are not signed. With a signing secret, the target can verify that they come from this platform.",
                1 => "Deliveries are signed with one secret. Change it without losing a delivery in four steps:",
                2 => "Deliveries are signed with two secrets, the new one and the old one.",
                _ => "Deliveries are signed with several secrets.",
            } }
            @if active == 0 { (new_secret(ctx, path, "Create signing secret")) }
            @else {
                ol.guide {
                    @for (at, text) in STEPS.iter().enumerate() {
                        li.done[at < next] aria-current=[(at == next).then_some("step")] {
                            @if at < next { span.unseen { "Done: " } }
                            (text)
                            @match at {
                                0 if active == 1 => (new_secret(ctx, path, "Rotate signing secret")),
                                2 if active > 1 => p { a href={ (path) "#test" } { "Send a test" } },
                                3 if active > 1 => p { a.button href={ (path) "/signing/retire" } { "Remove old secret" } },
                                _ => {}
                            }
                        }
                    }
                }
                p { a.button.danger href={ (path) "/signing/remove" } { "Stop signing" } }
            }
        }
    }
}

/// The button that makes a secret, which is then shown once.
pub(super) fn new_secret(ctx: &PageContext, path: &str, text: &str) -> Markup {
    html! {
        form method="post" action={ (path) "/signing" } {
            input type="hidden" name="csrf" value=(ctx.csrf);
            input type="hidden" name="ticket" value=(Tickets::issue());
            button { (text) }
        }
    }
}

pub(super) async fn ask_remove(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let what = html! { p { "Deliveries will no longer be signed, from the next attempt on. A target that verifies signatures refuses them. The secrets cannot be restored." } };
    ask(&ctx, id, &what, "Stop signing").await
}

pub(super) async fn ask_retire(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let what = html! { p { "Only the newest secret will sign, from the next attempt on. A target that still verifies with the old one refuses deliveries. The old secret cannot be restored." } };
    ask(&ctx, id, &what, "Remove old secret").await
}

async fn ask(ctx: &PageContext, id: i64, what: &Markup, button: &str) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let back = ctx.at(&format!("/webhooks/{id}/signing"));
    let body = layout::confirm(ctx, what, button, &back, &html! {}, None);
    let title = format!("{button}: {}?", row.value.name);
    Ok(page(ctx, Section::Webhooks, &title, &body).into_response())
}
