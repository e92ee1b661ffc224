//! The page that deletes a task.

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::Operation;
use maud::html;

use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{self, Section, page};
use crate::row_id::RowId;

pub(super) async fn confirm(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let row = ctx.task(id).await?;
    let what = html! {
        p { "The task " strong { (row.task.name) } " and its events will be deleted. Deliveries that are already queued are still sent. This cannot be undone." }
    };
    let body = layout::confirm(
        &ctx,
        &what,
        "Delete task",
        &ctx.at("/tasks"),
        &html! {},
    );
    Ok(page(&ctx, Section::Tasks, "Delete this task?", &body).into_response())
}

pub(super) async fn delete(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let row = ctx.task(id).await?;
    ctx.console.engine.delete_task(row.id).await?;
    ctx.audit("tasks", id, Operation::Delete);
    Ok(Redirect::to(&ctx.at("/tasks?done=deleted")).into_response())
}
