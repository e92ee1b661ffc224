//! A new webhook.

use axum::Json;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde_json::{Value, json};
use webhook_model::{SigningSecret, SigningSecrets, WebhookId};

use super::fields::{FormOptions, fields};
use super::form::WebhookForm;
use super::redirect::to_saved;
use super::signing;
use super::target::hint;
use super::webhook_error::note_error;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, note, page, refused};
use crate::problems::Problems;
use crate::refusal::opened_again;
use crate::tickets::Tickets;

pub(super) async fn new(ctx: PageContext) -> Response {
    form_page(&ctx, &WebhookForm::fresh(), &Problems::none()).into_response()
}

pub(super) async fn create(ctx: PageContext, sent: Form) -> Result<Response, Failure> {
    let form = WebhookForm::sent(&sent);
    if sent.given("do").is_some() {
        return Ok(form_page(&ctx, &form, &Problems::none()).into_response());
    }
    let mut problems = Problems::new(ctx.texts());
    let owner = ctx.principal().owner;
    let Some(mut webhook) = form.parse(ctx.texts(), &mut problems, owner, None) else {
        return Ok(refused(form_page(&ctx, &form, &problems)));
    };
    let secret = form
        .sign
        .then(|| SigningSecret::from_random(rand::random()));
    if let Some(secret) = &secret {
        webhook.signing = SigningSecrets::none().rotated(secret.clone(), 0);
    }
    let (tickets, ticket) = (&ctx.console.tickets, sent.text("ticket"));
    if !tickets.take(ticket) {
        return Ok(already_submitted(&ctx));
    }
    match ctx.actor.create_webhook(webhook).await {
        Ok(row) => match secret {
            Some(secret) => signing::reveal(&ctx, &row, &secret).await,
            None => Ok(to_saved(&ctx, &row, "created").await),
        },
        Err(error) => {
            tickets.put_back(ticket);
            note_error(ctx.texts(), error, &form, &mut problems)?;
            Ok(refused(form_page(&ctx, &form, &problems)))
        }
    }
}

/// The form with what was typed in an earlier session.
pub(super) async fn again(ctx: PageContext, sent: Form) -> Response {
    form_page(&ctx, &WebhookForm::sent(&sent), &opened_again(ctx.texts())).into_response()
}

/// The same validation, for the hints that are shown while the user types.
pub(super) async fn check(
    ctx: PageContext,
    RawQuery(query): RawQuery,
    sent: Form,
) -> Result<Json<Value>, Failure> {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let present = match query.key("id") {
        Some(id) => Some(ctx.actor.webhook(WebhookId(id)).await?.value),
        None => None,
    };
    let mut problems = Problems::new(ctx.texts());
    let owner = ctx.principal().owner;
    let form = WebhookForm::sent(&sent);
    drop(form.parse(ctx.texts(), &mut problems, owner, present.as_ref()));
    let hints = json!({"url": hint(&ctx, &form.url)});
    Ok(Json(
        json!({"problems": problems.to_json(), "hints": hints}),
    ))
}

fn form_page(ctx: &PageContext, form: &WebhookForm, problems: &Problems) -> Markup {
    let options = FormOptions {
        ticket: Some(Tickets::issue()),
        id: None,
        stored: false,
        identity: None,
    };
    page(
        ctx,
        Section::Webhooks,
        &ctx.texts().of("webhooks-new-title"),
        &fields(ctx, form, problems, &options),
    )
}

/// The form was submitted before, by a reload or a second click.
fn already_submitted(ctx: &PageContext) -> Response {
    let t = ctx.texts();
    let link = html! { a href=(ctx.at("/webhooks")) { (t.of("webhooks-submitted-link")) } };
    let text = t.markup("webhooks-submitted", &[("link", link.into())]);
    let title = t.of("webhooks-submitted-title");
    let body = note("warn", &text);
    refused(page(ctx, Section::Webhooks, &title, &body))
}
