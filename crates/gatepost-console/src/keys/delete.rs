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
    let row = ctx.actor.key(KeyId(id)).await?;
    let text = html! {
        p { "Requests that use the key " strong { (seen(row.key.name.as_str())) } " (" code { (row.key.hint) } ") will be refused. This cannot be undone." }
    };
    let back = ctx.at("/keys");
    let body = layout::confirm(ctx, &text, "Delete key", &back, &html! {}, refusal);
    Ok(page(ctx, Section::Keys, "Delete this API key?", &body))
}

pub(super) async fn delete(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    match ctx.actor.delete_key(KeyId(id)).await {
        Ok(_) => Ok(Redirect::to(&ctx.at("/keys?done=deleted")).into_response()),
        Err(error) => {
            refused_deletion(error, async |why| question(&ctx, id, Some(why)).await).await
        }
    }
}
