//! The pages of API keys: list, create, show, edit, delete, and the page of a user with the user's
//! keys (SPEC 2.1, SPEC 4 rule 3).

mod form;
mod leaked;
mod list;
mod resource;
mod review;
mod roll;
mod show;
mod usage;
mod user;

use axum::Router;
use axum::routing::{get, post};
use resource::Keys;
pub(crate) use review::to_review;

use crate::crud::crud;

pub(crate) fn routes() -> Router {
    crud::<Keys>()
        .route("/", get(list::show))
        .route("/leaked", get(leaked::ask).post(leaked::search))
        .route("/{id}", get(show::show))
        .route("/{id}/disable", get(roll::ask_disable).post(roll::disable))
        .route("/{id}/enable", post(roll::enable))
        .route("/{id}/roll", get(roll::ask).post(roll::roll))
}

/// Returns the routes of the users' pages.
pub(crate) fn user_routes() -> Router {
    Router::new()
        .route("/", get(user::list))
        .route("/{id}", get(user::show))
}
