//! The pages of deliveries: what was sent, what is waiting, and the outcome of each attempt.

mod asked;
mod attempts;
mod list;
mod look;
mod message;
mod replay;
mod request;
mod show;

use axum::Router;
use axum::routing::{get, post};

pub(crate) fn routes() -> Router {
    Router::new()
        .route("/", get(list::list))
        .route("/live", get(list::live))
        .route("/replay", get(replay::show).post(replay::replay))
        .route("/{id}", get(show::show))
        .route("/{id}/live", get(show::live))
        .route("/{id}/message", get(message::download))
        .route("/{id}/replay", post(show::replay))
        .route("/{id}/retry", post(show::retry))
        .route("/{id}/cancel", get(show::ask).post(show::cancel))
}
