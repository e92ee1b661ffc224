//! Webhooks: where and how to send (SPEC 2.2).

mod actions;
mod chart;
mod counts;
mod create;
mod delete;
mod dropped;
mod edit;
mod fields;
mod form;
mod labels;
mod list;
mod redirect;
mod send_test;
mod show;
mod signing;
mod signing_controls;
mod webhook_error;

use axum::Router;
use axum::routing::{get, post};

pub(crate) fn routes() -> Router {
    Router::new()
        .route("/", get(list::list))
        .route("/new", get(create::new).post(create::create))
        .route("/new/again", post(create::again))
        .route("/check", post(create::check))
        .route("/{id}", get(show::show))
        .route("/{id}/live", get(show::live))
        .route("/{id}/edit", get(edit::edit).post(edit::update))
        .route("/{id}/edit/again", post(edit::again))
        .route("/{id}/delete", get(delete::confirm).post(delete::delete))
        .route("/{id}/test", post(send_test::send))
        .route("/{id}/signing", post(signing::rotate))
        .route("/{id}/signing/remove", post(signing::remove))
        .route("/{id}/do/{action}", post(actions::act))
}
