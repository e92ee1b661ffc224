//! Run, enable, disable.

use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::ManageError;
use webhook_model::TaskId;

use crate::context::PageContext;
use crate::failure::Failure;

pub(super) async fn act(
    ctx: PageContext,
    Path((id, action)): Path<(i64, String)>,
) -> Result<Response, Failure> {
    let (actor, id) = (&ctx.actor, TaskId(id));
    let (result, done) = match action.as_str() {
        "disable" => (actor.disable_task(id).await.map(drop), "disabled"),
        "enable" => (actor.enable_task(id).await.map(drop), "enabled"),
        "run" => (actor.run_task(id).await.map(drop), "ran"),
        _ => return Err(Failure::NotFound),
    };
    match result {
        Err(ManageError::Disabled) => {
            Err(Failure::Conflict("A disabled task cannot be run.".into()))
        }
        other => {
            other?;
            Ok(Redirect::to(&ctx.at(&format!("/tasks?done={done}"))).into_response())
        }
    }
}
