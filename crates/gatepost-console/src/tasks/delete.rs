//! The page that deletes a task.

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_storage::webhooks::TaskRow;
use maud::{Markup, html};
use webhook_model::TaskId;

use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{self, Section, page, seen};
use crate::refusal::refused_deletion;
use crate::row_id::RowId;
use crate::unreadable::{Kind, if_readable, question};

pub(super) async fn confirm(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    Ok(question_page(&ctx, id, None).await?.into_response())
}

async fn question_page(
    ctx: &PageContext,
    id: i64,
    refusal: Option<&str>,
) -> Result<Markup, Failure> {
    let row = if_readable(ctx.actor.task(TaskId(id)).await)?;
    let t = ctx.texts();
    let name = |row: &TaskRow| html! { strong { (seen(row.value.name.as_str())) } };
    let what = html! {
        @if let Some(row) = &row { p { (t.markup("tasks-delete-question", &[("name", name(row).into())])) } }
        @else { (question(t, Kind::Task, id)) }
    };
    let back = ctx.at("/tasks");
    let button = t.of("tasks-delete-button");
    let body = layout::confirm(ctx, &what, &button, &back, &html! {}, refusal);
    let title = t.of("tasks-delete-title");
    Ok(page(ctx, Section::Tasks, &title, &body))
}

pub(super) async fn delete(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    match ctx.actor.delete_task(TaskId(id)).await {
        Ok(_) => Ok(Redirect::to(&ctx.at("/tasks?done=deleted")).into_response()),
        Err(error) => {
            refused_deletion(ctx.texts(), error, async |why| {
                question_page(&ctx, id, Some(why)).await
            })
            .await
        }
    }
}
