//! API keys: list, create, show, edit, delete, and the page of a user with the user's keys (SPEC
//! 2.1, SPEC 4 rule 3).

mod create;
mod delete;
mod edit;
mod fields;
mod form;
mod key_error;
mod leaked;
mod list;
mod listing;
mod review;
mod roll;
mod show;
mod switch;
mod table;
mod usage;
mod user;

use axum::Router;
use axum::routing::{get, post};

pub(crate) fn routes() -> Router {
    Router::new()
        .route("/", get(list::list))
        .route("/new", get(create::new).post(create::create))
        .route("/new/again", post(create::again))
        .route("/check", post(create::check))
        .route("/leaked", get(leaked::ask).post(leaked::search))
        .route("/{id}", get(show::show))
        .route("/{id}/edit", get(edit::edit).post(edit::update))
        .route("/{id}/edit/again", post(edit::again))
        .route("/{id}/disable", get(switch::confirm).post(switch::disable))
        .route("/{id}/enable", post(switch::enable))
        .route("/{id}/roll", get(roll::confirm).post(roll::roll))
        .route("/{id}/delete", get(delete::confirm).post(delete::delete))
}

/// The pages of users.
pub(crate) fn user_routes() -> Router {
    Router::new().route("/{id}", get(user::show))
}
