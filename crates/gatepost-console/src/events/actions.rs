//! Enable, disable.

use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use webhook_model::EventId;

use crate::context::PageContext;
use crate::failure::Failure;

pub(super) async fn act(
    ctx: PageContext,
    Path((id, action)): Path<(i64, String)>,
) -> Result<Response, Failure> {
    let (actor, id) = (&ctx.actor, EventId(id));
    let done = match action.as_str() {
        "disable" => actor.disable_event(id).await.map(|_| "disabled")?,
        "enable" => actor.enable_event(id).await.map(|_| "enabled")?,
        _ => return Err(Failure::NotFound),
    };
    Ok(Redirect::to(&ctx.at(&format!("/events?done={done}"))).into_response())
}
