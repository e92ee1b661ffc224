//! The page that edits an event.

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_storage::Row;
use maud::Markup;
use webhook_model::{Event, EventId, Specificity};

use super::event_error::note_error;
use super::fields::fields;
use super::form::EventForm;
use super::labels::name;
use super::options::{Subject, form_options, known_type};
use crate::changes_link::changes_link;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, page_with, refused};
use crate::problems::Problems;
use crate::refusal::opened_again;
use crate::row_id::RowId;

/// The address of the record itself: its page is that which edits it.
pub(super) async fn show(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    ctx.actor.event(EventId(id)).await?;
    Ok(Redirect::to(&ctx.at(&format!("/events/{id}/edit"))).into_response())
}

pub(super) async fn edit(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let (row, _) = ctx.actor.event(EventId(id)).await?;
    let mut problems = Problems::new(ctx.texts());
    if let Some(problem) = row.value.filters.problem() {
        let rule = [("rule", ctx.texts().rule(problem.rule()).into())];
        problems.add("filter", ctx.texts().with("events-filter-unknown", &rule));
    }
    let page = form_page(&ctx, &row, &EventForm::of(&row.value), &problems).await?;
    Ok(page.into_response())
}

async fn form_page(
    ctx: &PageContext,
    row: &Row<EventId, Event>,
    form: &EventForm,
    problems: &Problems,
) -> Result<Markup, Failure> {
    let event = &row.value;
    let specificity = known_type(ctx, event.event_type.as_str())
        .map_or(Specificity::InstanceOptional, |(_, specificity)| {
            specificity
        });
    let subject = Subject::stored(row.owner, event);
    let button = ctx.texts().of("events-save");
    let options = form_options(ctx, button, &subject, specificity, true).await?;
    let body = fields(ctx, form, problems, &options);
    let changes = changes_link(ctx, "task_events", row.id.0);
    let title = name(ctx, event);
    Ok(page_with(ctx, Section::Events, &title, &changes, &body))
}

/// The form with what was typed in an earlier session.
pub(super) async fn again(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let (row, _) = ctx.actor.event(EventId(id)).await?;
    let form = EventForm {
        event: row.value.event.to_string(),
        ..EventForm::sent(&sent)
    };
    let page = form_page(&ctx, &row, &form, &opened_again(ctx.texts())).await?;
    Ok(page.into_response())
}

/// Type and event cannot change; everything else can.
pub(super) async fn update(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let (row, _) = ctx.actor.event(EventId(id)).await?;
    let form = EventForm {
        event: row.value.event.to_string(),
        ..EventForm::sent(&sent)
    };
    let mut problems = Problems::new(ctx.texts());
    let of = row.value.event_type.clone();
    // A form that was opened before there was this field leaves what is stored.
    let with_context = sent.given("context").is_some();
    if let Some(new) = form.parse(&ctx, &mut problems, &of).await? {
        let edited = ctx.actor.edit_event(row.id, move |event| {
            (event.target, event.task, event.enabled) = (new.target, new.task, new.enabled);
            event.filters = new.filters.clone();
            if with_context {
                event.context = new.context.clone();
            }
            event.label.clone_from(&new.label);
            Ok(())
        });
        match edited.await {
            Ok(_) => return Ok(Redirect::to(&ctx.at("/events?done=saved")).into_response()),
            Err(error) => note_error(ctx.texts(), error, &mut problems)?,
        }
    }
    Ok(refused(form_page(&ctx, &row, &form, &problems).await?))
}
