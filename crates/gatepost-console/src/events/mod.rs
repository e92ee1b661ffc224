//! Events: what runs a task (SPEC 2.4).

mod actions;
mod catalog;
mod create;
mod delete;
mod edit;
mod event_error;
mod fields;
mod form;
mod labels;
mod list;
mod listing;
mod options;
mod trigger;
mod trigger_page;

use axum::Router;
use axum::routing::{get, post};

pub(crate) fn routes() -> Router {
    Router::new()
        .route("/", get(list::list))
        .route("/new", get(create::new).post(create::create))
        .route("/new/again", post(create::again))
        .route("/catalog", get(catalog::show))
        .route("/{id}", get(edit::show))
        .route("/{id}/edit", get(edit::edit).post(edit::update))
        .route("/{id}/edit/again", post(edit::again))
        .route("/{id}/delete", get(delete::confirm).post(delete::delete))
        .route("/{id}/trigger", get(trigger::ask).post(trigger::trigger))
        .route("/{id}/trigger/check", post(trigger::check))
        .route("/{id}/do/{action}", post(actions::act))
}
