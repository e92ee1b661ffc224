//! The page that edits a task.

use axum::response::{IntoResponse, Redirect, Response};
use webhook_model::TaskId;

use super::form::TaskForm;
use super::form_page::form_page;
use super::task_error::note_error;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::refused;
use crate::problems::Problems;
use crate::refusal::opened_again;
use crate::row_id::RowId;

/// The address of the record itself: its page is that which edits it.
pub(super) async fn show(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    ctx.actor.task(TaskId(id)).await?;
    Ok(Redirect::to(&ctx.at(&format!("/tasks/{id}/edit"))).into_response())
}

pub(super) async fn edit(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let row = ctx.actor.task(TaskId(id)).await?;
    let form = TaskForm::of(&row.value);
    let page = form_page(&ctx, Some(&row), &form, &Problems::none()).await?;
    Ok(page.into_response())
}

/// The form with what was typed in an earlier session.
pub(super) async fn again(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let row = ctx.actor.task(TaskId(id)).await?;
    let form = TaskForm::sent(&sent);
    let page = form_page(&ctx, Some(&row), &form, &opened_again(ctx.texts())).await?;
    Ok(page.into_response())
}

pub(super) async fn update(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let row = ctx.actor.task(TaskId(id)).await?;
    let form = TaskForm::sent(&sent);
    let mut problems = Problems::new(ctx.texts());
    if sent.given("do").is_some() {
        return Ok(form_page(&ctx, Some(&row), &form, &problems)
            .await?
            .into_response());
    }
    if let Some(new) = form.parse(&ctx, &mut problems, row.value.creator).await? {
        let edited = ctx.actor.edit_task(row.id, move |task| {
            task.clone_from(&new);
            Ok(())
        });
        match edited.await {
            Ok(_) => return Ok(Redirect::to(&ctx.at("/tasks?done=saved")).into_response()),
            Err(error) => note_error(ctx.texts(), error, &mut problems)?,
        }
    }
    Ok(refused(
        form_page(&ctx, Some(&row), &form, &problems).await?,
    ))
}
