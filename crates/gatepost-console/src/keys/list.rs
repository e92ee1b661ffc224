//! The list of keys: all that the caller may see, or those of one user.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

use super::leaked::link as leaked_link;
use super::listing::KeyList;
use super::table::{new_button, table, user_name};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Above, Section, note, page_under};
use crate::list_view::{Asked, Listing as _};

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let (t, query) = (
        ctx.texts(),
        Form::parse(query.unwrap_or_default().as_bytes()),
    );
    let done = match query.text("done") {
        "saved" => Some(t.of("keys-saved")),
        "deleted" => Some(t.of("keys-deleted")),
        _ => None,
    };
    let above =
        Above::Note(html! { @if let Some(done) = done { (note("good", &html! { (done) })) } });
    let page = page_of(&ctx, &query, &above).await?;
    Ok(page.into_response())
}

/// The page, with a note or a popup above the list.
pub(super) async fn page_of(
    ctx: &PageContext,
    query: &Form,
    above: &Above,
) -> Result<Markup, Failure> {
    let asked = Asked::parse(ctx, "/keys", query, &KeyList::SHAPE).await?;
    let rows = table(ctx, &asked).await?;
    let t = ctx.texts();
    let title = match asked.owner() {
        Some(owner) => {
            let user = user_name(ctx, owner).await;
            t.with("keys-title-of", &[("user", user.into())]).into()
        }
        None => t.of("keys-title"),
    };
    let actions = html! {
        @if asked.owner().is_some() { a.button href=(ctx.at("/keys")) { (t.of("keys-all")) } }
        @else { (leaked_link(ctx)) }
        (new_button(ctx, asked.owner()))
    };
    let section = Section::Keys;
    Ok(page_under(ctx, section, &title, &actions, above, &rows))
}
