//! Deliveries: what was sent, what will be, and how it went.

mod act;
mod read;
mod show;
mod table;

use axum::Router;
use axum::routing::{get, post};
pub(super) use read::{Wanted, newest};
pub(super) use table::{rows, states};

pub(super) fn routes() -> Router {
    Router::new()
        .route("/", get(table::list))
        .route("/live", get(table::live))
        .route("/{id}", get(show::show))
        .route("/{id}/live", get(show::live))
        .route("/{id}/replay", post(act::replay))
        .route("/{id}/cancel", post(act::cancel))
}
