//! Webhooks: where and how to send (SPEC 2.2).

mod act;
mod change;
mod chart;
mod fields;
mod headers;
mod parse;
mod show;
mod signing;
mod table;
mod test;

use axum::Router;
use axum::routing::{get, post};
use maud::{Markup, html};

use super::session::Ctx;

/// What stands for a stored value that is not shown. No header can hold it, so it is told from a
/// value that is typed.
const MASK: &str = "••••••••";

pub(super) fn routes() -> Router {
    Router::new()
        .route("/", get(table::list))
        .route("/new", get(change::new).post(change::create))
        .route("/check", post(change::check))
        .route("/{id}", get(show::show))
        .route("/{id}/live", get(show::live))
        .route("/{id}/edit", get(change::edit).post(change::update))
        .route("/{id}/delete", get(act::ask_to_delete).post(act::delete))
        .route("/{id}/test", post(test::send))
        .route("/{id}/signing", post(signing::rotate))
        .route("/{id}/signing/remove", post(signing::remove))
        .route("/{id}/do/{what}", post(act::act))
}

fn new_button(ctx: &Ctx) -> Markup {
    html! { a.button.primary href=(ctx.console.at("/webhooks/new")) { "New Webhook" } }
}
