//! The creation, rotation and removal of signing secrets. Each is shown once.

use axum::response::{IntoResponse, Response};
use maud::Render as _;
use webhook_model::{SigningSecret, WebhookId};

use super::list::WebhookRow;
use super::show;
use super::target::to_webhook;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Above, note};
use crate::reveal::{Reveal, popup};
use crate::row_id::RowId;

/// The number of old secrets that sign together with the new one, so that the target has time to
/// switch.
const OVERLAP: usize = 1;

pub(super) async fn rotate(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    if !ctx.console.tickets.take(sent.text("ticket")) {
        let text = ctx.texts().of("webhooks-signing-submitted");
        let before = Above::Note(note("warn", &text.render()));
        let page = show::page_of(&ctx, &row, &before).await?;
        return Ok(page.into_response());
    }
    let (row, secret) = ctx.actor.rotate_signing_secret(row.id, OVERLAP).await?;
    reveal(&ctx, &row, &secret).await
}

pub(super) async fn remove(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let row = ctx.actor.remove_signing_secrets(WebhookId(id)).await?;
    Ok(to_webhook(&ctx, row.id, "unsigned"))
}

pub(super) async fn retire(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let row = ctx.actor.retire_signing_secrets(WebhookId(id)).await?;
    Ok(to_webhook(&ctx, row.id, "retired"))
}

/// Returns the webhook's page under the popup that shows the secret.
pub(super) async fn reveal(
    ctx: &PageContext,
    row: &WebhookRow,
    secret: &SigningSecret,
) -> Result<Response, Failure> {
    let (t, list) = (ctx.texts(), ctx.at(&format!("/webhooks/{}", row.id)));
    let reveal = Reveal {
        title: &t.of("webhooks-secret-title"),
        text: secret.expose(),
        advice: &t.of("webhooks-secret-advice"),
        list: &list,
        file: None,
    };
    let popup = Above::Popup(popup(t, &reveal));
    Ok(show::page_of(ctx, row, &popup).await?.into_response())
}
