//! Fire by hand, enable, disable, delete.

use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_engine::EngineError;
use gatepost_manage::Operation;
use maud::html;
use webhook_model::Target;

use super::TABLE;
use super::table::{labels, target};
use crate::access::Id;
use crate::failure::Failure;
use crate::layout::{Section, confirm, page};
use crate::session::Ctx;

pub(super) async fn act(
    ctx: Ctx,
    Path((id, what)): Path<(i64, String)>,
) -> Result<Response, Failure> {
    let (row, _) = ctx.event(id).await?;
    let engine = &ctx.console.inner.engine;
    let (operation, done) = match what.as_str() {
        "fire" => {
            let object = match row.value.target {
                Target::Instance(object) => {
                    let directory = &ctx.console.inner.directory;
                    directory
                        .name(&ctx.principal, row.value.event_type.as_str(), object.0)
                        .await
                }
                Target::Tag(_) | Target::Generic => None,
            };
            match engine.trigger_event(row.id, object, Vec::new()).await {
                Err(EngineError::NotFound) => {
                    let text = "The event's task is disabled, so nothing was run.";
                    return Err(Failure::Conflict(text.into()));
                }
                other => other?,
            };
            (Operation::Trigger, "fired")
        }
        "enable" | "disable" => {
            let enable = what == "enable";
            let edited = engine.edit_event(row.id, |event| {
                event.enabled = enable;
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
    Ok(Redirect::to(&ctx.console.at(&format!("/events?done={done}"))).into_response())
}

pub(super) async fn ask_to_delete(ctx: Ctx, Id(id): Id) -> Result<Response, Failure> {
    let (row, task) = ctx.event(id).await?;
    let (of, what) = labels(&ctx, &row.value);
    let of_what = target(&ctx, &row.value).await;
    let what = html! {
        p { "“" strong { (of) ": " (what) } "” (" (of_what) ") no longer runs the task " strong { (task.name) } ". The task itself stays." }
    };
    let body = confirm(
        &ctx,
        &what,
        "Delete event",
        &ctx.console.at("/events"),
        &html! {},
    );
    Ok(page(&ctx, Section::Events, "Delete this event?", &body).into_response())
}

pub(super) async fn delete(ctx: Ctx, Id(id): Id) -> Result<Response, Failure> {
    let (row, _) = ctx.event(id).await?;
    ctx.console.inner.engine.delete_event(row.id).await?;
    ctx.audit(TABLE, id, Operation::Delete);
    Ok(Redirect::to(&ctx.console.at("/events?done=deleted")).into_response())
}
