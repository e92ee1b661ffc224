//! The page that deletes a key.

use apikey_core::KeyId;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{self, Section, page, seen};
use crate::refusal::refused_deletion;
use crate::row_id::RowId;

pub(super) async fn confirm(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    Ok(question(&ctx, id, None).await?.into_response())
}

async fn question(ctx: &PageContext, id: i64, refusal: Option<&str>) -> Result<Markup, Failure> {
    let row = ctx.actor.stored_key(KeyId(id)).await?;
    let (t, name) = (ctx.texts(), seen(row.key.name.as_str()));
    let parts = [
        ("name", html! { strong { (name) } }.into()),
        ("hint", html! { code { (row.key.hint) } }.into()),
    ];
    let text = html! { p { (t.markup("keys-delete-text", &parts)) } };
    let (button, back) = (t.of("keys-delete-button"), ctx.at("/keys"));
    let body = layout::confirm(ctx, &text, &button, &back, &html! {}, refusal);
    Ok(page(ctx, Section::Keys, &t.of("keys-delete-title"), &body))
}

pub(super) async fn delete(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    match ctx.actor.delete_key(KeyId(id)).await {
        Ok(_) => Ok(Redirect::to(&ctx.at("/keys?done=deleted")).into_response()),
        Err(error) => {
            refused_deletion(ctx.texts(), error, async |why| {
                question(&ctx, id, Some(why)).await
            })
            .await
        }
    }
}
