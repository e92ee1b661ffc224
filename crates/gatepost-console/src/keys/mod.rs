//! A user's API keys: the table, New, Edit, Delete (SPEC 2.1, SPEC 4 rule 3).

mod change;
mod fields;
mod parse;
mod table;

use axum::Router;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use maud::html;

use super::failure::Failure;
use super::form::Form;
use super::layout::{Section, note, page_with};
use super::session::Ctx;

pub(super) fn routes() -> Router {
    Router::new()
        .route("/", get(list))
        .route("/new", get(change::new).post(change::create))
        .route("/check", post(change::check))
        .route("/{id}/edit", get(change::edit).post(change::update))
        .route(
            "/{id}/delete",
            get(change::ask_to_delete).post(change::delete),
        )
}

async fn list(ctx: Ctx, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let said = match asked.text("done") {
        "saved" => Some("The key was saved. Its key string is the same as before."),
        "deleted" => {
            Some("The key was deleted. Whatever still presents it is refused from now on.")
        }
        _ => None,
    };
    let rows = table::table(&ctx, &asked).await?;
    let owner = asked.key("owner");
    let title = match owner {
        // What another user is called is not everybody's to know.
        Some(owner) if !ctx.may_manage(owner).await? => return Err(Failure::NotFound),
        Some(owner) => format!("API keys of {}", ctx.user_name(owner).await),
        None => "API keys".to_owned(),
    };
    let actions = html! {
        @if owner.is_some() { a.button href=(ctx.console.at("/keys")) { "All keys" } }
        (new_button(&ctx, owner))
    };
    let body = html! {
        @if let Some(said) = said { (note("good", &html! { (said) })) }
        (rows)
    };
    Ok(page_with(&ctx, Section::Keys, &title, &actions, &body).into_response())
}

/// For the user whose keys are shown, or for oneself.
fn new_button(ctx: &Ctx, owner: Option<i64>) -> maud::Markup {
    let query = owner.map_or_else(String::new, |owner| format!("?owner={owner}"));
    html! { a.button.primary href={ (ctx.console.at("/keys/new")) (query) } { "New API key" } }
}
