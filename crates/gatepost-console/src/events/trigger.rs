//! An event is triggered manually: after a page that says what it runs, and shows the message as it
//! will be sent with the values that the event brings.

use axum::Json;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::{ManageError, TriggerInput};
use maud::Markup;
use serde_json::{Value, json};
use webhook_model::{Action, EventId, EventNotes};

use super::trigger_page::{Trigger, page_of};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::refused;
use crate::message_preview::Preview;
use crate::problems::Problems;
use crate::refusal::note_refusal;
use crate::row_id::RowId;
use crate::sample_fields;

/// The page, filled in with the samples of the catalogue.
pub(super) async fn ask(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let trigger = Trigger::of(&ctx, EventId(id), None).await?;
    let page = trigger.page(&ctx, &Problems::none()).await?;
    Ok(page.into_response())
}

/// Triggers the event; or shows the page again, with the message as it is now filled in.
pub(super) async fn trigger(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let trigger = Trigger::of(&ctx, EventId(id), Some(&sent)).await?;
    let mut problems = trigger.problems(&ctx);
    if sent.text("do") == "preview" {
        let page = trigger.page(&ctx, &problems).await?;
        return Ok(page.into_response());
    }
    if problems.is_empty() {
        let brought = trigger.brought();
        match ctx.actor.trigger_event(trigger.row.id, brought).await {
            Ok(_) => return Ok(Redirect::to(&ctx.at("/events?done=triggered")).into_response()),
            Err(ManageError::Disabled) => {
                let text = ctx.texts().of("events-not-triggered");
                return Err(Failure::Conflict(text.into_owned()));
            }
            Err(ManageError::Message(error)) => problems.refuse(error),
            Err(error) => note_refusal(error, &mut problems)?,
        }
    }
    Ok(refused(trigger.page(&ctx, &problems).await?))
}

/// What is wrong, and the message, while the user types.
pub(super) async fn check(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Json<Value>, Failure> {
    let trigger = Trigger::of(&ctx, EventId(id), Some(&sent)).await?;
    let problems = trigger.problems(&ctx);
    let Preview { text, warnings } = trigger.preview(&ctx).await?;
    let hints = json!({"preview": text, "warnings": warnings});
    Ok(Json(
        json!({"problems": problems.to_json(), "hints": hints}),
    ))
}

impl Trigger {
    /// With what was sent, or with the samples.
    async fn of(ctx: &PageContext, id: EventId, sent: Option<&Form>) -> Result<Self, Failure> {
        let (row, task) = ctx.actor.event(id).await?;
        let (of, what) = (&row.value.event_type, &row.value.event);
        let notes = ctx.actor.catalog().notes(of, what);
        let variables = notes.into_iter().flat_map(EventNotes::variables);
        let variables: Vec<_> = variables.cloned().collect();
        let data = notes.and_then(EventNotes::data).cloned();
        let values = match sent {
            Some(form) => sample_fields::sent(form, &variables),
            None => sample_fields::samples(&variables),
        };
        Ok(Self {
            row,
            task,
            variables,
            values,
            data,
        })
    }

    fn brought(&self) -> TriggerInput {
        let variables = self.values.clone().into_iter().collect();
        let mut brought = TriggerInput::default().with_variables(variables);
        brought.data = self.data.clone();
        brought
    }

    fn problems(&self, ctx: &PageContext) -> Problems {
        let mut problems = Problems::new(ctx.texts());
        sample_fields::check(ctx.texts(), &self.values, &mut problems);
        problems
    }

    async fn preview(&self, ctx: &PageContext) -> Result<Preview, Failure> {
        let webhook = match &self.task.value.action {
            Action::Send { webhook, .. } => Some(*webhook),
            _ => None,
        };
        let example = ctx.actor.trigger_example(self.row.id, self.brought()).await;
        Ok(Preview::of(ctx, example, webhook).await?)
    }

    async fn page(&self, ctx: &PageContext, problems: &Problems) -> Result<Markup, Failure> {
        let preview = self.preview(ctx).await?;
        Ok(page_of(ctx, self, problems, &preview).await)
    }
}
