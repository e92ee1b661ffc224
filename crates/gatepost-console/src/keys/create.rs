//! A new key: its form, and the popup that shows the key once.

use apikey_core::{Expiration, KeyDraft, OwnerId, RevealOnce};
use axum::Json;
use axum::extract::{OriginalUri, RawQuery};
use axum::response::{IntoResponse, Response};
use gatepost_manage::AccessLevel;
use gatepost_storage::keys::KeyRow;
use http::{HeaderMap, Uri};
use maud::{Markup, html};
use serde_json::{Value, json};
use webhook_model::trim_pasted;

use super::fields::{FormOptions, fields};
use super::form::KeyForm;
use super::key_error::note_error;
use super::{list, user};
use crate::api_url::api_url;
use crate::choices::choices;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Above, Section, note, page, refused};
use crate::problems::Problems;
use crate::refusal::opened_again;
use crate::reveal;
use crate::tickets::Tickets;

pub(super) async fn new(ctx: PageContext, RawQuery(query): RawQuery) -> Response {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let owner = query.owner("owner").unwrap_or(ctx.principal().owner);
    let form = KeyForm {
        user: owner.to_string(),
        ..KeyForm::fresh()
    };
    let page = form_page(&ctx, &form, &Problems::none()).await;
    page.into_response()
}

/// Creates the key. The response is the owner's list with the popup that shows the key.
pub(super) async fn create(
    ctx: PageContext,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
    sent: Form,
) -> Result<Response, Failure> {
    let (t, form) = (ctx.texts(), KeyForm::sent(&sent));
    let mut problems = Problems::new(ctx.texts());
    if sent.given("do").is_some() {
        return Ok(form_page(&ctx, &form, &problems).await.into_response());
    }
    let valid = form.parse(t, &mut problems, ctx.now());
    let owner = match trim_pasted(&form.user) {
        "" => Some(ctx.principal().owner),
        user => problems.take("user", user.parse().map_err(|_| t.of("keys-problem-owner"))),
    };
    let (Some(valid), Some(owner)) = (valid, owner) else {
        return Ok(refused(form_page(&ctx, &form, &problems).await));
    };
    let tickets = &ctx.console.tickets;
    let ticket = sent.text("ticket");
    if !tickets.take(ticket) {
        return Ok(already_submitted(&ctx));
    }
    let draft = KeyDraft::new(owner, valid.name)
        .with_description(valid.description)
        .with_expiration(valid.expiration.unwrap_or(Expiration::Never))
        .with_ip(valid.ip)
        .with_grant(valid.grant)
        .with_limit(valid.limit);
    match ctx.actor.create_key(draft).await {
        Ok((row, secret)) => revealed(&ctx, &row, secret, &uri, &headers).await,
        Err(error) => {
            tickets.put_back(ticket);
            note_error(t, error, &mut problems)?;
            Ok(refused(form_page(&ctx, &form, &problems).await))
        }
    }
}

/// The owner's list with the popup that shows a new key.
pub(super) async fn revealed(
    ctx: &PageContext,
    row: &KeyRow,
    secret: RevealOnce,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<Response, Failure> {
    let owner = row.key.owner;
    let api = api_url(ctx.console.api.as_ref(), uri, headers);
    let (key, list) = (secret.reveal(), ctx.at(&home(ctx, owner)));
    let popup = reveal::key(ctx.texts(), &key, &row.key.name, &list, api.as_deref());
    let popup = Above::Popup(popup);
    let page = if ctx.principal().owner == owner {
        list::page_of(ctx, &Form::default(), &popup).await?
    } else {
        user::page_of(ctx, owner, &Form::default(), &popup).await?
    };
    Ok(page.into_response())
}

/// The form with what was typed in an earlier session.
pub(super) async fn again(ctx: PageContext, sent: Form) -> Response {
    let page = form_page(&ctx, &KeyForm::sent(&sent), &opened_again(ctx.texts())).await;
    page.into_response()
}

/// The same validation, for the hints that are shown while the user types.
pub(super) async fn check(ctx: PageContext, sent: Form) -> Json<Value> {
    let mut problems = Problems::new(ctx.texts());
    let form = KeyForm::sent(&sent);
    form.parse(ctx.texts(), &mut problems, ctx.now());
    let hints = json!({"ip": form.surprises(ctx.texts())});
    Json(json!({"problems": problems.to_json(), "hints": hints}))
}

async fn form_page(ctx: &PageContext, form: &KeyForm, problems: &Problems) -> Markup {
    let t = ctx.texts();
    let owners = if ctx.principal().access > AccessLevel::User {
        Some(choices(ctx, "users").await)
    } else {
        None
    };
    let options = FormOptions {
        button: &t.of("keys-create"),
        ticket: Some(Tickets::issue()),
        keep: None,
        owners,
    };
    let body = fields(ctx, form, problems, &options);
    page(ctx, Section::Keys, &t.of("keys-new-title"), &body)
}

/// Where a key of this owner is listed: among one's own, or on the page of another user.
fn home(ctx: &PageContext, owner: OwnerId) -> String {
    if ctx.principal().owner == owner {
        "/keys".to_owned()
    } else {
        user::path(owner)
    }
}

/// The form was submitted before, by a reload or a second click.
pub(super) fn already_submitted(ctx: &PageContext) -> Response {
    let t = ctx.texts();
    let link = html! { a href=(ctx.at("/keys")) { (t.of("keys-submitted-link")) } };
    let text = t.markup("keys-submitted", &[("link", link.into())]);
    let (title, body) = (t.of("keys-submitted-title"), note("warn", &text));
    refused(page(ctx, Section::Keys, &title, &body))
}
