//! The pages of webhooks: the target and the settings of its deliveries (SPEC 2.2).

mod charts;
mod counts;
mod form;
pub(crate) mod health;
mod list;
mod rejected;
mod resource;
mod secrets;
mod send_test;
mod show;
mod signing;
mod subscribe;
mod tabs;
mod target;

use axum::Router;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::{get, post};
use resource::Webhooks;
use webhook_model::WebhookId;

use crate::context::PageContext;
use crate::crud::crud;
use crate::failure::Failure;

pub(crate) fn routes() -> Router {
    crud::<Webhooks>()
        .route("/", get(list::show))
        .route("/{id}", get(show::show))
        .route("/{id}/live", get(show::live))
        .route("/{id}/test", get(send_test::show).post(send_test::send))
        .route("/{id}/signing", get(signing::show).post(secrets::rotate))
        .route(
            "/{id}/signing/remove",
            get(signing::ask_remove).post(secrets::remove),
        )
        .route(
            "/{id}/signing/retire",
            get(signing::ask_retire).post(secrets::retire),
        )
        .route(
            "/{id}/subscribe",
            get(subscribe::show).post(subscribe::create),
        )
        .route("/{id}/subscribe/again", post(subscribe::again))
        .route("/{id}/subscribe/check", post(subscribe::check))
        .route("/{id}/do/{action}", post(act))
}

/// Pauses or resumes a webhook.
async fn act(
    ctx: PageContext,
    Path((id, action)): Path<(i64, String)>,
) -> Result<Response, Failure> {
    let (actor, id) = (&ctx.actor, WebhookId(id));
    let done = match action.as_str() {
        "pause" => actor.pause_webhook(id).await.map(|_| "paused")?,
        "resume" => actor.resume_webhook(id).await.map(|_| "resumed")?,
        _ => return Err(Failure::NotFound),
    };
    Ok(target::to_webhook(&ctx, id, done))
}
