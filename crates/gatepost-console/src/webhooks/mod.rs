//! Webhooks: where and how to send (SPEC 2.2).

mod actions;
pub(crate) mod banner;
mod charts;
mod client_certificate;
mod counts;
mod create;
mod delete;
mod dropped;
mod edit;
mod fetch;
mod fields;
mod form;
mod health;
mod labels;
mod list;
mod listing;
mod open;
mod range;
mod redirect;
mod send_test;
mod show;
mod signing;
mod signing_controls;
mod signing_page;
mod target;
mod verify;
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
        .route(
            "/{id}/signing",
            get(signing_page::show).post(signing::rotate),
        )
        .route(
            "/{id}/signing/remove",
            get(signing_page::ask_remove).post(signing::remove),
        )
        .route(
            "/{id}/signing/retire",
            get(signing_page::ask_retire).post(signing::retire),
        )
        .route("/{id}/do/{action}", post(actions::act))
}
