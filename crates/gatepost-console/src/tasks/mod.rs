//! Tasks: what is sent through which webhook (SPEC 2.3).

mod about;
mod actions;
mod cancel;
mod create;
mod delete;
mod edit;
mod fields;
mod form;
mod form_page;
mod list;
mod listing;
mod preview;
mod task_error;
mod try_out;
mod try_out_page;

use axum::Router;
use axum::routing::{get, post};

pub(crate) fn routes() -> Router {
    Router::new()
        .route("/", get(list::list))
        .route("/new", get(create::new).post(create::create))
        .route("/new/again", post(create::again))
        .route("/check", post(create::check))
        .route("/{id}", get(edit::show))
        .route("/{id}/edit", get(edit::edit).post(edit::update))
        .route("/{id}/edit/again", post(edit::again))
        .route("/{id}/test", get(try_out::show).post(try_out::test))
        .route("/{id}/test/preview", post(try_out::preview))
        .route("/{id}/test/check", post(try_out::check))
        .route("/{id}/cancel", get(cancel::ask).post(cancel::cancel))
        .route("/{id}/delete", get(delete::confirm).post(delete::delete))
        .route("/{id}/do/{action}", post(actions::act))
}
