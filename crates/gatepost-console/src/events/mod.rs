//! Events: what runs a task (SPEC 2.4).

mod act;
mod change;
mod fields;
mod table;

use axum::Router;
use axum::routing::get;
use maud::{Markup, html};

use super::session::Ctx;

pub(super) fn routes() -> Router {
    Router::new()
        .route("/", get(table::list))
        .route("/new", get(change::new).post(change::create))
        .route("/{id}/edit", get(change::edit).post(change::update))
        .route("/{id}/delete", get(act::ask_to_delete).post(act::delete))
        .route("/{id}/do/{what}", axum::routing::post(act::act))
}

pub(super) use table::events;

const TABLE: &str = "task_events";

fn new_button(ctx: &Ctx) -> Markup {
    html! { a.button.primary href=(ctx.console.at("/events/new")) { "New Event" } }
}
