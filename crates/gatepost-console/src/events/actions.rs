//! Trigger, enable, disable.

use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::ManageError;
use webhook_model::EventId;

use crate::context::PageContext;
use crate::failure::Failure;

pub(super) async fn act(
    ctx: PageContext,
    Path((id, action)): Path<(i64, String)>,
) -> Result<Response, Failure> {
    let (actor, id) = (&ctx.actor, EventId(id));
    let (result, done) = match action.as_str() {
        "disable" => (actor.disable_event(id).await.map(drop), "disabled"),
        "enable" => (actor.enable_event(id).await.map(drop), "enabled"),
        "trigger" => {
            let emitted = actor.trigger_event(id, Vec::new(), None).await;
            (emitted.map(drop), "triggered")
        }
        _ => return Err(Failure::NotFound),
    };
    match result {
        Err(ManageError::Disabled) => {
            let text = ctx.texts().of("events-not-triggered");
            Err(Failure::Conflict(text.into_owned()))
        }
        other => {
            other?;
            Ok(Redirect::to(&ctx.at(&format!("/events?done={done}"))).into_response())
        }
    }
}
