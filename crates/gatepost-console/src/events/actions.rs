//! Trigger, enable, disable.

use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_engine::EngineError;
use gatepost_manage::Operation;
use webhook_model::Target;

use crate::failure::Failure;
use crate::context::PageContext;

pub(super) async fn act(
    ctx: PageContext,
    Path((id, what)): Path<(i64, String)>,
) -> Result<Response, Failure> {
    let (row, _) = ctx.event(id).await?;
    let engine = &ctx.console.engine;
    let (operation, done) = match what.as_str() {
        "trigger" => {
            let object = match row.value.target {
                Target::Instance(object) => {
                    let directory = &ctx.console.directory;
                    directory
                        .name(&ctx.principal, row.value.event_type.as_str(), object.0)
                        .await
                }
                Target::Tag(_) | Target::Generic => None,
            };
            match engine.trigger_event(row.id, object, Vec::new()).await {
                Err(EngineError::NotFound) => {
                    let text = "The task of this event is disabled, so it was not run.";
                    return Err(Failure::Conflict(text.into()));
                }
                other => other?,
            };
            ("trigger", "triggered")
        }
        "enable" | "disable" => {
            let enable = what == "enable";
            let edited = engine.edit_event(row.id, |event| {
                event.enabled = enable;
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
    ctx.audit("task_events", id, Operation::Act(operation));
    Ok(Redirect::to(&ctx.at(&format!("/events?done={done}"))).into_response())
}
