//! The list of keys: all that the caller may see, or those of one user.

use apikey_core::OwnerId;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use maud::html;

use super::table::{new_button, table, user_name};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, note, page_with};

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let done = match query.text("done") {
        "saved" => Some("The key was saved. The key string has not changed."),
        "deleted" => Some("The key was deleted. Requests that use it are now refused."),
        _ => None,
    };
    let rows = table(&ctx, &query).await?;
    let owner = query.key("owner");
    let title = match owner {
        // The name of another user is not for everybody.
        Some(owner) if !ctx.actor.may_manage(OwnerId(owner)).await? => {
            return Err(Failure::NotFound);
        }
        Some(owner) => format!("API keys of {}", user_name(&ctx, owner).await),
        None => "API keys".to_owned(),
    };
    let actions = html! {
        @if owner.is_some() { a.button href=(ctx.at("/keys")) { "All keys" } }
        (new_button(&ctx, owner))
    };
    let body = html! {
        @if let Some(done) = done { (note("good", &html! { (done) })) }
        (rows)
    };
    Ok(page_with(&ctx, Section::Keys, &title, &actions, &body).into_response())
}
