//! The pages of tasks: which message is sent through which webhook (SPEC 2.3).

mod about;
mod form;
mod list;
mod try_out;

pub(crate) use about::preview;
use axum::Router;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use form::Tasks;
use gatepost_storage::webhooks::DeliveryState;
use maud::html;
use webhook_model::TaskId;

use crate::context::PageContext;
use crate::crud::{crud, to_edit, to_list};
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, confirm_or, page, seen, state};
use crate::row_id::RowId;

pub(crate) fn routes() -> Router {
    crud::<Tasks>()
        .route("/", get(list::show))
        .route("/{id}", get(to_edit::<Tasks>))
        .route("/{id}/test", get(try_out::show).post(try_out::test))
        .route("/{id}/test/check", post(try_out::check))
        .route("/{id}/cancel", get(ask_cancel).post(cancel))
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

/// Asks before waiting deliveries of a task are cancelled.
async fn ask_cancel(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
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

async fn cancel(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let done = match ctx.actor.cancel_task(TaskId(id)).await? {
        0 => "nothing",
        _ => "cancelled",
    };
    Ok(to_list::<Tasks>(&ctx, done))
}
