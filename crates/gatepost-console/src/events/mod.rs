//! The pages of events, which run tasks (SPEC 2.4).

mod catalog;
mod form;
mod labels;
mod list;
mod options;
mod parts;
mod trigger;

use axum::Router;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::{get, post};
use form::Events;
pub(crate) use options::offered_types;
pub(crate) use parts::{of_new_task, ticked, ticks, when_fields};
use webhook_model::EventId;

use crate::context::PageContext;
use crate::crud::{crud, to_edit, to_list};
use crate::failure::Failure;

pub(crate) fn routes() -> Router {
    crud::<Events>()
        .route("/", get(list::show))
        .route("/catalog", get(catalog::show))
        .route("/{id}", get(to_edit::<Events>))
        .route("/{id}/trigger", get(trigger::ask).post(trigger::trigger))
        .route("/{id}/trigger/check", post(trigger::check))
        .route("/{id}/do/{action}", post(act))
}

/// Enables or disables an event.
async fn act(
    ctx: PageContext,
    Path((id, action)): Path<(i64, String)>,
) -> Result<Response, Failure> {
    let (actor, id) = (&ctx.actor, EventId(id));
    let done = match action.as_str() {
        "disable" => actor.disable_event(id).await.map(|_| "disabled")?,
        "enable" => actor.enable_event(id).await.map(|_| "enabled")?,
        _ => return Err(Failure::NotFound),
    };
    Ok(to_list::<Events>(&ctx, done))
}
