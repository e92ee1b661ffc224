//! The pages of tasks: which message is sent through which webhook (SPEC 2.3).

mod about;
mod cancel;
mod form;
mod list;
mod try_out;

pub(crate) use about::preview;
use axum::Router;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::{get, post};
use form::Tasks;
use webhook_model::TaskId;

use crate::context::PageContext;
use crate::crud::{crud, to_edit, to_list};
use crate::failure::Failure;
use crate::form::Form;

pub(crate) fn routes() -> Router {
    crud::<Tasks>()
        .route("/", get(list::show))
        .route("/{id}", get(to_edit::<Tasks>))
        .route("/{id}/test", get(try_out::show).post(try_out::test))
        .route("/{id}/test/preview", post(try_out::preview))
        .route("/{id}/test/check", post(try_out::check))
        .route("/{id}/cancel", get(cancel::ask).post(cancel::cancel))
        .route("/{id}/do/{action}", post(act))
}

/// Runs, enables or disables a task.
async fn act(
    ctx: PageContext,
    Path((id, action)): Path<(i64, String)>,
    sent: Form,
) -> Result<Response, Failure> {
    let (actor, id) = (&ctx.actor, TaskId(id));
    let done = match action.as_str() {
        "disable" => actor.disable_task(id).await.map(|_| "disabled")?,
        "enable" => actor.enable_task(id).await.map(|_| "enabled")?,
        "run" => return try_out::run(&ctx, id, sent).await,
        _ => return Err(Failure::NotFound),
    };
    Ok(to_list::<Tasks>(&ctx, done))
}
