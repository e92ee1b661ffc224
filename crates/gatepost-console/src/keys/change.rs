//! New, Edit, Delete.

use apikey_core::{Expiration, KeyDraft, KeyId, KeyState, OwnerId};
use axum::Json;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_keys::{AccessLevel, KeyError};
use gatepost_manage::Operation;
use gatepost_storage::keys::KeyRow;
use maud::html;
use serde_json::{Value, json};

use super::fields::{Around, form};
use super::parse::Typed;
use super::{new_button, table};
use crate::access::Id;
use crate::failure::Failure;
use crate::form::{Form, Problems};
use crate::layout::{Section, confirm, note, page, page_with, refused};
use crate::reveal;
use crate::session::{Ctx, Tickets};

const TABLE: &str = "user_api_keys";

pub(super) async fn new(ctx: Ctx, RawQuery(query): RawQuery) -> Response {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let typed = Typed {
        user: asked
            .key("owner")
            .unwrap_or(ctx.principal.owner.0)
            .to_string(),
        ..Typed::fresh()
    };
    new_form(&ctx, &typed, &Problems::default())
        .await
        .into_response()
}

async fn new_form(ctx: &Ctx, typed: &Typed, problems: &Problems) -> maud::Markup {
    let owners = if ctx.principal.access > AccessLevel::User {
        Some(ctx.choices("users").await)
    } else {
        None
    };
    let around = Around {
        button: "Create key",
        ticket: Some(Tickets::issue()),
        expires: None,
        owners,
    };
    page(
        ctx,
        Section::Keys,
        "New API key",
        &form(ctx, typed, problems, &around),
    )
}

/// Makes the key, and answers with the popup that shows it.
pub(super) async fn create(ctx: Ctx, sent: Form) -> Result<Response, Failure> {
    let typed = Typed::of_form(&sent);
    if sent.given("do").is_some() {
        return Ok(new_form(&ctx, &typed, &Problems::default())
            .await
            .into_response());
    }
    let mut problems = Problems::default();
    let parsed = typed.parse(&mut problems, ctx.console.now());
    let owner = match typed.user.trim() {
        "" => Some(ctx.principal.owner),
        user => problems
            .take("user", user.parse().map_err(|_| "is not a user"))
            .map(OwnerId),
    };
    let (Some(parsed), Some(owner)) = (parsed, owner) else {
        return Ok(refused(new_form(&ctx, &typed, &problems).await));
    };
    let tickets = &ctx.console.inner.tickets;
    let ticket = sent.text("ticket");
    if !tickets.take(ticket) {
        return Ok(sent_twice(&ctx));
    }
    let draft = KeyDraft {
        owner,
        name: parsed.name.clone(),
        description: parsed.description,
        expiration: parsed.expiration.unwrap_or(Expiration::Never),
        ip: parsed.ip,
    };
    match ctx.console.inner.keys.create(&ctx.principal, draft).await {
        Ok((row, secret)) => {
            ctx.audit(TABLE, row.id.0, Operation::Create);
            let key = secret.reveal();
            let rows = table::table(&ctx, &Form::default()).await?;
            let list = ctx.console.at("/keys");
            let body = html! { (reveal::key(&key, &parsed.name, &list)) (rows) };
            let page = page_with(
                &ctx,
                Section::Keys,
                "API keys",
                &new_button(&ctx, None),
                &body,
            );
            Ok(page.into_response())
        }
        Err(error) => {
            tickets.put_back(ticket);
            beside(error, &mut problems)?;
            Ok(refused(new_form(&ctx, &typed, &problems).await))
        }
    }
}

/// The form was sent before, by a reload or a second click.
fn sent_twice(ctx: &Ctx) -> Response {
    let list = ctx.console.at("/keys");
    let text = html! {
        "The key of this form was made already, and its key string was shown then. If you did not keep it, delete the key and make a new one. "
        a href=(list) { "To the keys" }
    };
    refused(page(
        ctx,
        Section::Keys,
        "This form was sent before",
        &note("warn", &text),
    ))
}

/// The same validation, for the hints that are shown while one types.
pub(super) async fn check(ctx: Ctx, sent: Form) -> Json<Value> {
    let mut problems = Problems::default();
    let typed = Typed::of_form(&sent);
    typed.parse(&mut problems, ctx.console.now());
    let surprises = typed.policy().map(|policy| {
        let texts: Vec<String> = policy.lint(None).iter().map(ToString::to_string).collect();
        texts.join("; ")
    });
    let problems: serde_json::Map<String, Value> = problems
        .iter()
        .map(|(field, rule)| (field.into(), rule.into()))
        .collect();
    Json(json!({"problems": problems, "hints": {"ip": surprises.unwrap_or_default()}}))
}

pub(super) async fn edit(ctx: Ctx, Id(id): Id) -> Result<Response, Failure> {
    let row = key(&ctx, id).await?;
    Ok(edit_form(&ctx, &row, &Typed::of_row(&row), &Problems::default()).into_response())
}

fn edit_form(ctx: &Ctx, row: &KeyRow, typed: &Typed, problems: &Problems) -> maud::Markup {
    let expires = match row.key.expiration {
        Expiration::Never => "never".to_owned(),
        Expiration::At(at) => at.format("%Y-%m-%d %H:%M UTC").to_string(),
    };
    let around = Around {
        button: "Save key",
        ticket: None,
        expires: Some(expires),
        owners: None,
    };
    let title = format!("Edit {}", row.key.name.as_str());
    let remark =
        html! { p.quiet { "Editing never changes the key string. Changes are in force at once." } };
    let body = html! {
        @if row.key.state(ctx.console.now()) == KeyState::Expired {
            (note("warn", &html! { "This key has expired and cannot be edited back to life. Delete it and make a new one." }))
        } @else { (remark) }
        (form(ctx, typed, problems, &around))
    };
    page(ctx, Section::Keys, &title, &body)
}

pub(super) async fn update(ctx: Ctx, Id(id): Id, sent: Form) -> Result<Response, Failure> {
    let row = key(&ctx, id).await?;
    let typed = Typed::of_form(&sent);
    let mut problems = Problems::default();
    if sent.given("do").is_none()
        && let Some(parsed) = typed.parse(&mut problems, ctx.console.now())
    {
        let edit = parsed.edit();
        let keys = &ctx.console.inner.keys;
        match keys.edit(&ctx.principal, row.id, &edit).await {
            Ok(row) => {
                ctx.audit(TABLE, row.id.0, Operation::Update);
                return Ok(Redirect::to(&ctx.console.at("/keys?done=saved")).into_response());
            }
            Err(error) => beside(error, &mut problems)?,
        }
    }
    let page = edit_form(&ctx, &row, &typed, &problems);
    Ok(if problems.is_empty() {
        page.into_response()
    } else {
        refused(page)
    })
}

pub(super) async fn ask_to_delete(ctx: Ctx, Id(id): Id) -> Result<Response, Failure> {
    let row = key(&ctx, id).await?;
    let what = html! {
        p { "Whatever uses the key " strong { (row.key.name.as_str()) } " (" code { (row.key.hint) } ") is refused from then on. This cannot be undone." }
    };
    let back = ctx.console.at("/keys");
    let body = confirm(&ctx, &what, "Delete key", &back, &html! {});
    Ok(page(&ctx, Section::Keys, "Delete this API key?", &body).into_response())
}

pub(super) async fn delete(ctx: Ctx, Id(id): Id) -> Result<Response, Failure> {
    ctx.console
        .inner
        .keys
        .delete(&ctx.principal, KeyId(id))
        .await?;
    ctx.audit(TABLE, id, Operation::Delete);
    Ok(Redirect::to(&ctx.console.at("/keys?done=deleted")).into_response())
}

async fn key(ctx: &Ctx, id: i64) -> Result<KeyRow, Failure> {
    let keys = &ctx.console.inner.keys;
    keys.get(&ctx.principal, KeyId(id))
        .await?
        .ok_or(Failure::NotFound)
}

/// Errors that belong to a field stand beside it.
fn beside(error: KeyError, problems: &mut Problems) -> Result<(), Failure> {
    match error {
        KeyError::NameTaken => problems.add("name", "the user has a key of that name"),
        KeyError::NoSuchOwner => problems.add("user", "there is no such user"),
        KeyError::Forbidden => {
            problems.add("user", "keys of this user are not yours to manage");
        }
        KeyError::Draft(error) => problems.add("expires", error),
        KeyError::Edit(error) => problems.add("expires", error),
        other => return Err(other.into()),
    }
    Ok(())
}
