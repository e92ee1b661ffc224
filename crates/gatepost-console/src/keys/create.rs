//! A new key: its form, and the popup that shows the key once.

use apikey_core::{Expiration, KeyDraft, OwnerId};
use axum::Json;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_manage::AccessLevel;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::fields::{FormOptions, fields};
use super::form::KeyForm;
use super::key_error::note_error;
use super::table::{new_button, table};
use crate::choices::choices;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, note, page, page_with, refused};
use crate::problems::Problems;
use crate::refusal::opened_again;
use crate::reveal;
use crate::tickets::Tickets;

pub(super) async fn new(ctx: PageContext, RawQuery(query): RawQuery) -> Response {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let owner = query.key("owner").unwrap_or(ctx.principal().owner.0);
    let form = KeyForm {
        user: owner.to_string(),
        ..KeyForm::fresh()
    };
    let page = form_page(&ctx, &form, &Problems::default()).await;
    page.into_response()
}

/// Creates the key. The response is the list with the popup that shows the key.
pub(super) async fn create(ctx: PageContext, sent: Form) -> Result<Response, Failure> {
    let form = KeyForm::sent(&sent);
    let mut problems = Problems::default();
    if sent.given("do").is_some() {
        return Ok(form_page(&ctx, &form, &problems).await.into_response());
    }
    let valid = form.parse(&mut problems, ctx.now());
    let owner = match form.user.trim() {
        "" => Some(ctx.principal().owner),
        user => problems
            .take("user", user.parse().map_err(|_| "must be a user"))
            .map(OwnerId),
    };
    let (Some(valid), Some(owner)) = (valid, owner) else {
        return Ok(refused(form_page(&ctx, &form, &problems).await));
    };
    let tickets = &ctx.console.tickets;
    let ticket = sent.text("ticket");
    if !tickets.take(ticket) {
        return Ok(already_submitted(&ctx));
    }
    let draft = KeyDraft {
        owner,
        name: valid.name.clone(),
        description: valid.description,
        expiration: valid.expiration.unwrap_or(Expiration::Never),
        ip: valid.ip,
    };
    match ctx.actor.create_key(draft).await {
        Ok((_, secret)) => {
            let popup = reveal::key(&secret.reveal(), &valid.name, &ctx.at("/keys"));
            let rows = table(&ctx, &Form::default()).await?;
            let (button, body) = (new_button(&ctx, None), html! { (popup) (rows) });
            Ok(page_with(&ctx, Section::Keys, "API keys", &button, &body).into_response())
        }
        Err(error) => {
            tickets.put_back(ticket);
            note_error(error, &mut problems)?;
            Ok(refused(form_page(&ctx, &form, &problems).await))
        }
    }
}

/// The form with what was typed in an earlier session.
pub(super) async fn again(ctx: PageContext, sent: Form) -> Response {
    let page = form_page(&ctx, &KeyForm::sent(&sent), &opened_again()).await;
    page.into_response()
}

/// The same validation, for the hints that are shown while the user types.
pub(super) async fn check(ctx: PageContext, sent: Form) -> Json<Value> {
    let mut problems = Problems::default();
    let form = KeyForm::sent(&sent);
    form.parse(&mut problems, ctx.now());
    let surprises = form.policy().map(|policy| {
        let texts: Vec<String> = policy.lint(None).iter().map(ToString::to_string).collect();
        texts.join("; ")
    });
    let hints = json!({"ip": surprises.unwrap_or_default()});
    Json(json!({"problems": problems.to_json(), "hints": hints}))
}

async fn form_page(ctx: &PageContext, form: &KeyForm, problems: &Problems) -> Markup {
    let owners = if ctx.principal().access > AccessLevel::User {
        Some(choices(ctx, "users").await)
    } else {
        None
    };
    let options = FormOptions {
        button: "Create key",
        ticket: Some(Tickets::issue()),
        expires: None,
        owners,
    };
    let body = fields(ctx, form, problems, &options);
    page(ctx, Section::Keys, "New API key", &body)
}

/// The form was submitted before, by a reload or a second click.
fn already_submitted(ctx: &PageContext) -> Response {
    let text = html! {
        "This form has already created a key, and the key was shown then. If you did not keep it, delete the key and create a new one. "
        a href=(ctx.at("/keys")) { "Go to API keys" }
    };
    let body = note("warn", &text);
    refused(page(ctx, Section::Keys, "Form already submitted", &body))
}
