//! Run, enable, disable.

use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use webhook_model::TaskId;

use super::try_out::run;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;

pub(super) async fn act(
    ctx: PageContext,
    Path((id, action)): Path<(i64, String)>,
    sent: Form,
) -> Result<Response, Failure> {
    let (actor, id) = (&ctx.actor, TaskId(id));
    let done = match action.as_str() {
        "disable" => actor.disable_task(id).await.map(|_| "disabled")?,
        "enable" => actor.enable_task(id).await.map(|_| "enabled")?,
        "run" => return run(&ctx, id, &sent).await,
        _ => return Err(Failure::NotFound),
    };
    Ok(Redirect::to(&ctx.at(&format!("/tasks?done={done}"))).into_response())
}
