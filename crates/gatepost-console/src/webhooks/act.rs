//! Pause, resume, replay, delete.

use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use chrono::DateTime;
use gatepost_manage::Operation;
use gatepost_storage::Page;
use gatepost_storage::webhooks::{Cascade, Replay};
use maud::html;

use super::change::{TABLE, to};
use crate::access::Id;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, check, confirm, page};
use crate::session::Ctx;

/// Tasks that are named.
const NAMED: usize = 20;

pub(super) async fn act(
    ctx: Ctx,
    Path((id, what)): Path<(i64, String)>,
) -> Result<Response, Failure> {
    let row = ctx.webhook(id).await?;
    let engine = &ctx.console.inner.engine;
    let (operation, done) = match what.as_str() {
        "pause" => {
            engine.pause_webhook(row.id).await?;
            (Operation::Pause, "paused")
        }
        "resume" => {
            engine.resume_webhook(row.id).await?;
            (Operation::Resume, "resumed")
        }
        "replay" => {
            let failed = Replay::Failed {
                webhook: row.id,
                from: DateTime::UNIX_EPOCH,
                before: ctx.console.now(),
            };
            engine.replay(&failed).await?;
            (Operation::Replay, "replayed")
        }
        _ => return Err(Failure::NotFound),
    };
    ctx.audit(TABLE, id, operation);
    Ok(to(&ctx, row.id, done))
}

pub(super) async fn ask_to_delete(ctx: Ctx, Id(id): Id) -> Result<Response, Failure> {
    let row = ctx.webhook(id).await?;
    let tasks = ctx.tasks(Some(row.id), Page::newest(1), NAMED).await?;
    let what = html! {
        p { "The webhook " strong { (row.value.name) } " is deleted with its whole delivery log, and what still waits is not sent. This cannot be undone." }
        @if !tasks.is_empty() {
            p { "These tasks use it:" }
            ul { @for task in &tasks { li { (task.task.name) } } @if tasks.len() == NAMED { li { "and others" } } }
        }
    };
    let cascade = html! {
        @if !tasks.is_empty() { (check("cascade", "Delete these tasks and their events too", "Without this, the webhook is kept as long as a task uses it.", false)) }
    };
    let back = ctx.console.at(&format!("/webhooks/{id}"));
    let body = confirm(&ctx, &what, "Delete webhook", &back, &cascade);
    Ok(page(&ctx, Section::Webhooks, "Delete this webhook?", &body).into_response())
}

pub(super) async fn delete(ctx: Ctx, Id(id): Id, sent: Form) -> Result<Response, Failure> {
    let row = ctx.webhook(id).await?;
    let cascade = if sent.ticked("cascade") {
        Cascade::Tasks
    } else {
        Cascade::Refuse
    };
    ctx.console
        .inner
        .engine
        .delete_webhook(row.id, cascade)
        .await?;
    ctx.audit(TABLE, id, Operation::Delete);
    Ok(Redirect::to(&ctx.console.at("/webhooks?done=deleted")).into_response())
}
