//! Run, enable, disable, delete.

use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_engine::EngineError;
use gatepost_manage::Operation;
use maud::html;

use super::TABLE;
use crate::access::Id;
use crate::failure::Failure;
use crate::layout::{Section, confirm, page};
use crate::session::Ctx;

pub(super) async fn act(
    ctx: Ctx,
    Path((id, what)): Path<(i64, String)>,
) -> Result<Response, Failure> {
    let row = ctx.task(id).await?;
    let engine = &ctx.console.inner.engine;
    let (operation, done) = match what.as_str() {
        "run" => {
            match engine.run_task(row.id).await {
                Err(EngineError::NotFound) => {
                    return Err(Failure::Conflict("A disabled task does not run.".into()));
                }
                other => other?,
            };
            (Operation::Run, "ran")
        }
        "enable" | "disable" => {
            let enable = what == "enable";
            let edited = engine.edit_task(row.id, |task| {
                task.enabled = enable;
                Ok(())
            });
            edited.await?;
            if enable {
                (Operation::Enable, "enabled")
            } else {
                (Operation::Disable, "disabled")
            }
        }
        _ => return Err(Failure::NotFound),
    };
    ctx.audit(TABLE, id, operation);
    Ok(Redirect::to(&ctx.console.at(&format!("/tasks?done={done}"))).into_response())
}

pub(super) async fn ask_to_delete(ctx: Ctx, Id(id): Id) -> Result<Response, Failure> {
    let row = ctx.task(id).await?;
    let what = html! {
        p { "The task " strong { (row.task.name) } " is deleted with its events. Deliveries that it made go on. This cannot be undone." }
    };
    let body = confirm(
        &ctx,
        &what,
        "Delete task",
        &ctx.console.at("/tasks"),
        &html! {},
    );
    Ok(page(&ctx, Section::Tasks, "Delete this task?", &body).into_response())
}

pub(super) async fn delete(ctx: Ctx, Id(id): Id) -> Result<Response, Failure> {
    let row = ctx.task(id).await?;
    ctx.console.inner.engine.delete_task(row.id).await?;
    ctx.audit(TABLE, id, Operation::Delete);
    Ok(Redirect::to(&ctx.console.at("/tasks?done=deleted")).into_response())
}
