//! Tasks: what is sent through which webhook (SPEC 2.3).

mod act;
mod change;
mod fields;
mod table;

use axum::Router;
use axum::routing::{get, post};
use maud::{Markup, html};

use super::session::Ctx;

pub(super) fn routes() -> Router {
    Router::new()
        .route("/", get(table::list))
        .route("/new", get(change::new).post(change::create))
        .route("/check", post(change::check))
        .route("/{id}/edit", get(change::edit).post(change::update))
        .route("/{id}/delete", get(act::ask_to_delete).post(act::delete))
        .route("/{id}/do/{what}", post(act::act))
}

const TABLE: &str = "tasks";

fn new_button(ctx: &Ctx) -> Markup {
    html! { a.button.primary href=(ctx.console.at("/tasks/new")) { "New Task" } }
}
