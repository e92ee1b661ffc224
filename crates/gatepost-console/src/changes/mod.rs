//! Changes: who changed what, from the audit log.

mod list;
mod words;

use axum::Router;
use axum::routing::get;

pub(crate) fn routes() -> Router {
    Router::new().route("/", get(list::show))
}
