//! The page that edits a key.

use apikey_core::{Expiration, KeyId, KeyState};
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_storage::keys::KeyRow;
use maud::{Markup, html};

use super::fields::{FormOptions, fields};
use super::form::KeyForm;
use super::key_error::note_error;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, note, page, refused, seen};
use crate::problems::Problems;
use crate::refusal::opened_again;
use crate::row_id::RowId;

pub(super) async fn edit(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let row = ctx.actor.stored_key(KeyId(id)).await?;
    let page = form_page(&ctx, &row, &KeyForm::of_row(&row), &Problems::none());
    Ok(page.into_response())
}

pub(super) async fn update(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let row = ctx.actor.stored_key(KeyId(id)).await?;
    let form = KeyForm::sent(&sent);
    let mut problems = Problems::new(ctx.texts());
    if sent.given("do").is_none()
        && let Some(valid) = form.parse(ctx.texts(), &mut problems, ctx.now())
    {
        match ctx.actor.edit_key(row.id, valid.edit()).await {
            Ok(_) => return Ok(Redirect::to(&ctx.at("/keys?done=saved")).into_response()),
            Err(error) => note_error(ctx.texts(), error, &mut problems)?,
        }
    }
    let page = form_page(&ctx, &row, &form, &problems);
    Ok(if problems.is_empty() {
        page.into_response()
    } else {
        refused(page)
    })
}

/// The form with what was typed in an earlier session.
pub(super) async fn again(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let row = ctx.actor.stored_key(KeyId(id)).await?;
    let page = form_page(
        &ctx,
        &row,
        &KeyForm::sent(&sent),
        &opened_again(ctx.texts()),
    );
    Ok(page.into_response())
}

fn form_page(ctx: &PageContext, row: &KeyRow, form: &KeyForm, problems: &Problems) -> Markup {
    let t = ctx.texts();
    let keep = match row.key.expiration {
        Expiration::Never => t.of("keys-form-keep-never").into_owned(),
        Expiration::At(at) => {
            let time = at.format("%Y-%m-%d %H:%M UTC").to_string();
            t.with("keys-form-keep", &[("time", time.into())])
        }
    };
    let options = FormOptions {
        button: &t.of("keys-save"),
        ticket: None,
        keep: Some(keep),
        owners: None,
    };
    let body = html! {
        @if row.key.state(ctx.now()) == KeyState::Expired {
            (note("warn", &html! { (t.of("keys-edit-expired")) }))
        } @else {
            p.quiet { (t.of("keys-edit-text")) }
        }
        (fields(ctx, form, problems, &options))
    };
    let name = seen(row.key.name.as_str());
    let title = t.with("keys-edit-title", &[("name", name.into())]);
    page(ctx, Section::Keys, &title, &body)
}
