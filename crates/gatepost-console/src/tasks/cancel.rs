//! The page that cancels the waiting deliveries of a task.

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_storage::webhooks::DeliveryState;
use maud::html;
use webhook_model::TaskId;

use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{Section, confirm_or, page, seen, state};
use crate::row_id::RowId;

pub(super) async fn ask(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let row = ctx.actor.task(TaskId(id)).await?;
    let t = ctx.texts();
    let name = html! { strong { (seen(row.value.name.as_str())) } };
    let ended = html! { strong { (state(t, DeliveryState::Error).0) } };
    let parts = [("name", name.into()), ("state", ended.into())];
    let what = html! {
        p { (t.markup("tasks-cancel-question", &parts)) }
        p.quiet { (t.of("tasks-cancel-note")) }
    };
    let (button, keep) = (t.of("tasks-cancel-button"), t.of("tasks-cancel-back"));
    let back = ctx.at(&format!("/tasks/{id}/edit"));
    let body = confirm_or(&ctx, &what, [&button, &keep], &back, &html! {}, None);
    let title = t.of("tasks-cancel-title");
    Ok(page(&ctx, Section::Tasks, &title, &body).into_response())
}

pub(super) async fn cancel(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let done = match ctx.actor.cancel_task(TaskId(id)).await? {
        0 => "nothing",
        _ => "cancelled",
    };
    Ok(Redirect::to(&ctx.at(&format!("/tasks?done={done}"))).into_response())
}
