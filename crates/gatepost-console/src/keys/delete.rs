//! The page that deletes a key.

use apikey_core::KeyId;
use axum::response::{IntoResponse, Redirect, Response};
use maud::html;

use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{self, Section, page, seen};
use crate::row_id::RowId;

pub(super) async fn confirm(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let row = ctx.actor.key(KeyId(id)).await?;
    let text = html! {
        p { "Requests that use the key " strong { (seen(row.key.name.as_str())) } " (" code { (row.key.hint) } ") will be refused. This cannot be undone." }
    };
    let back = ctx.at("/keys");
    let body = layout::confirm(&ctx, &text, "Delete key", &back, &html! {});
    Ok(page(&ctx, Section::Keys, "Delete this API key?", &body).into_response())
}

pub(super) async fn delete(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    ctx.actor.delete_key(KeyId(id)).await?;
    Ok(Redirect::to(&ctx.at("/keys?done=deleted")).into_response())
}
