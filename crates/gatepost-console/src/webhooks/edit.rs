//! The page that edits a webhook.

use axum::response::{IntoResponse, Response};
use gatepost_storage::Row;
use maud::Markup;
use webhook_model::{Activity, AuthorizationKind, Webhook, WebhookId};

use super::fields::{FormOptions, fields};
use super::form::WebhookForm;
use super::redirect::to_saved;
use super::webhook_error::note_error;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, page, refused, seen};
use crate::problems::Problems;
use crate::refusal::opened_again;
use crate::row_id::RowId;

pub(super) async fn edit(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let form = WebhookForm::of(&row.value);
    Ok(form_page(&ctx, &row, &form, &Problems::none()).into_response())
}

/// The form with what was typed in an earlier session.
pub(super) async fn again(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let page = form_page(
        &ctx,
        &row,
        &WebhookForm::sent(&sent),
        &opened_again(ctx.texts()),
    );
    Ok(page.into_response())
}

fn form_page(
    ctx: &PageContext,
    row: &Row<WebhookId, Webhook>,
    form: &WebhookForm,
    problems: &Problems,
) -> Markup {
    let options = FormOptions {
        ticket: None,
        id: Some(row.id.0),
        stored: row.value.authorization.kind() != AuthorizationKind::None,
        identity: row.value.client_identity.as_ref(),
    };
    let name = seen(row.value.name.as_str());
    let title = ctx
        .texts()
        .with("webhooks-edit-title", &[("name", name.into())]);
    page(
        ctx,
        Section::Webhooks,
        &title,
        &fields(ctx, form, problems, &options),
    )
}

pub(super) async fn update(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let form = WebhookForm::sent(&sent);
    let mut problems = Problems::new(ctx.texts());
    if sent.given("do").is_some() {
        return Ok(form_page(&ctx, &row, &form, &problems).into_response());
    }
    if let Some(new) = form.parse(
        ctx.texts(),
        &mut problems,
        row.value.owner,
        Some(&row.value),
    ) {
        let (entered, unsign) = (form.entered(&row.value), form.unsign);
        let edited = ctx
            .actor
            .edit_webhook_with(row.id, entered, move |webhook| {
                // What the form does not contain may have changed since, and is kept.
                let activity = match (new.activity, webhook.activity) {
                    (Activity::Active, Activity::Paused) => Activity::Paused,
                    (new, _) => new,
                };
                let kept = Some(&webhook.signing).filter(|_| !unsign);
                *webhook = Webhook {
                    signing: kept.cloned().unwrap_or_default(),
                    activity,
                    ..new.clone()
                };
                Ok(())
            });
        match edited.await {
            Ok(row) => return Ok(to_saved(&ctx, &row, "saved").await),
            Err(error) => note_error(ctx.texts(), error, &form, &mut problems)?,
        }
    }
    Ok(refused(form_page(&ctx, &row, &form, &problems)))
}
