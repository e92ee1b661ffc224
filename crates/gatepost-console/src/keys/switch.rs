//! Disables a key, after a question, and enables it again.

use apikey_core::{KeyEdit, KeyId};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{self, Section, page, seen};
use crate::row_id::RowId;

pub(super) async fn confirm(ctx: PageContext, RowId(id): RowId) -> Result<Markup, Failure> {
    let row = ctx.actor.stored_key(KeyId(id)).await?;
    let (t, name) = (ctx.texts(), seen(row.key.name.as_str()));
    let parts = [
        ("name", html! { strong { (name) } }.into()),
        ("hint", html! { code { (row.key.hint) } }.into()),
    ];
    let text = html! { p { (t.markup("keys-disable-text", &parts)) } };
    let (button, back) = (t.of("keys-disable-button"), ctx.at(&format!("/keys/{id}")));
    let body = layout::confirm(&ctx, &text, &button, &back, &html! {}, None);
    Ok(page(
        &ctx,
        Section::Keys,
        &t.of("keys-disable-title"),
        &body,
    ))
}

pub(super) async fn disable(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    switch(&ctx, id, false).await
}

pub(super) async fn enable(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    switch(&ctx, id, true).await
}

async fn switch(ctx: &PageContext, id: i64, enabled: bool) -> Result<Response, Failure> {
    let edit = KeyEdit::switch(enabled);
    ctx.actor.edit_key(KeyId(id), edit).await?;
    let done = if enabled { "enabled" } else { "disabled" };
    let path = ctx.at(&format!("/keys/{id}?done={done}"));
    Ok(Redirect::to(&path).into_response())
}
