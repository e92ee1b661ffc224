//! Run, enable, disable.

use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_engine::EngineError;
use gatepost_manage::Operation;

use crate::failure::Failure;
use crate::context::PageContext;

pub(super) async fn act(
    ctx: PageContext,
    Path((id, what)): Path<(i64, String)>,
) -> Result<Response, Failure> {
    let row = ctx.task(id).await?;
    let engine = &ctx.console.engine;
    let (operation, done) = match what.as_str() {
        "run" => {
            match engine.run_task(row.id).await {
                Err(EngineError::NotFound) => {
                    return Err(Failure::Conflict("A disabled task cannot be run.".into()));
                }
                other => other?,
            };
            ("execute", "ran")
        }
        "enable" | "disable" => {
            let enable = what == "enable";
            let edited = engine.edit_task(row.id, |task| {
                task.enabled = enable;
                Ok(())
            });
            edited.await?;
            if enable {
                ("enable", "enabled")
            } else {
                ("disable", "disabled")
            }
        }
        _ => return Err(Failure::NotFound),
    };
    ctx.audit("tasks", id, Operation::Act(operation));
    Ok(Redirect::to(&ctx.at(&format!("/tasks?done={done}"))).into_response())
}
