//! The page that tests a task, or runs it, about an object that is chosen there.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::ManageError;
use gatepost_storage::webhooks::TaskRow;
use maud::{Markup, html};
use webhook_model::TaskId;

use super::about::{AboutForm, AboutOptions, MAX_VALUE};
use super::preview::message_of;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, InputKind, Section, note, page, refused, seen};
use crate::problems::Problems;
use crate::refusal::note_refusal;
use crate::row_id::RowId;

pub(super) async fn show(
    ctx: PageContext,
    RowId(id): RowId,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let row = ctx.actor.task(TaskId(id)).await?;
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let options = AboutOptions::of(&ctx, query.text("type")).await;
    let form = AboutForm::fresh(options.as_ref());
    let body = body(&ctx, &row, &form, options.as_ref(), &Problems::default());
    Ok(page_of(&ctx, &row, &body).into_response())
}

/// Sends the test, and shows its delivery.
pub(super) async fn test(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let row = ctx.actor.task(TaskId(id)).await?;
    let options = AboutOptions::of(&ctx, sent.text("type")).await;
    let form = AboutForm::sent(&sent, options.as_ref());
    let mut problems = Problems::default();
    if let Some(about) = form.parse(&mut problems) {
        match ctx.actor.test_task(row.id, about).await {
            Ok(delivery) => {
                let path = ctx.at(&format!("/deliveries/{delivery}?done=tested"));
                return Ok(Redirect::to(&path).into_response());
            }
            Err(error) => note_error(error, &mut problems)?,
        }
    }
    let body = body(&ctx, &row, &form, options.as_ref(), &problems);
    Ok(refused(page_of(&ctx, &row, &body)))
}

/// Runs the task: as by an event, if something is chosen.
pub(super) async fn run(ctx: &PageContext, id: TaskId, sent: &Form) -> Result<Response, Failure> {
    let options = AboutOptions::of(ctx, sent.text("type")).await;
    let form = AboutForm::sent(sent, options.as_ref());
    let mut problems = Problems::default();
    if let Some(about) = form.parse(&mut problems) {
        match ctx.actor.run_task_about(id, about).await {
            Ok(_) => return Ok(Redirect::to(&ctx.at("/tasks?done=ran")).into_response()),
            Err(ManageError::Disabled) => {
                return Err(Failure::Conflict("A disabled task cannot be run.".into()));
            }
            // Beside the form that it came from; a button of the list has no form.
            Err(error) if options.is_some() => note_error(error, &mut problems)?,
            Err(error) => return Err(error.into()),
        }
    }
    let row = ctx.actor.task(id).await?;
    let body = body(ctx, &row, &form, options.as_ref(), &problems);
    Ok(refused(page_of(ctx, &row, &body)))
}

fn note_error(error: ManageError, problems: &mut Problems) -> Result<(), Failure> {
    match error {
        ManageError::NoSuchObject => problems.add("object", "there is no such object"),
        ManageError::Invalid { field, rule, .. } => problems.add(field, rule),
        ManageError::Message(error) => problems.refuse(error),
        other => note_refusal(other, problems)?,
    }
    Ok(())
}

fn page_of(ctx: &PageContext, row: &TaskRow, body: &Markup) -> Markup {
    let title = format!("Test {}", row.task.name);
    page(ctx, Section::Tasks, &title, body)
}

fn body(
    ctx: &PageContext,
    row: &TaskRow,
    form: &AboutForm,
    options: Option<&AboutOptions>,
    problems: &Problems,
) -> Markup {
    let path = ctx.at(&format!("/tasks/{}", row.id));
    let catalog = ctx.actor.catalog();
    let mut types = vec![(String::new(), "No event, just a name".to_owned())];
    types.extend(
        catalog
            .types()
            .map(|(of, label, _)| (of.to_string(), label.to_owned())),
    );
    html! {
        (layout::errors_of(ctx.texts(), problems, "Nothing was sent."))
        @if row.task.delete_after_run { (note("", &html! { "This task is deleted after it has run. A test does not delete it." })) }
        form.main method="get" action={ (path) "/test" } {
            section {
                (layout::select(&Problems::default(), "type", "As if this had happened", &types, &form.event_type, "The type of event that the message is filled in for.", true))
                button.unscripted { "Choose" }
            }
        }
        form.main method="post" action={ (path) "/test" } novalidate {
            input type="hidden" name="csrf" value=(ctx.csrf);
            input type="hidden" name="type" value=(form.event_type);
            section {
                @match options {
                    Some(options) => (fields(ctx, form, options, problems)),
                    None => (name(form, problems)),
                }
                h2 { "Message" }
                pre tabindex="0" aria-label="Message of the task" { (seen(message_of(row))) }
            }
            p.quiet { "A test goes through the task’s webhook, is listed among the deliveries and marked as a test. It does not count as a run." }
            div.submit {
                button.primary { "Send test" }
                @if row.task.enabled { button formaction={ (path) "/do/run" } { "Run now" } }
                a.button href=(ctx.at("/tasks")) { "Cancel" }
            }
        }
    }
}

fn fields(
    ctx: &PageContext,
    form: &AboutForm,
    options: &AboutOptions,
    problems: &Problems,
) -> Markup {
    let hint = format!("{}: what happens to the object.", options.label);
    let long = InputKind::Text { max: MAX_VALUE };
    html! {
        (layout::select(problems, "event", "Event", &options.events, &form.event, &hint, false))
        @if options.objects.is_empty() { (name(form, problems)) }
        @else {
            (layout::picker(ctx.texts(), problems, "object", "Object", &options.objects, &form.object, "${NAME} becomes its name. Without a choice it becomes the name below."))
            (name(form, problems))
        }
        @for variable in &options.variables {
            @let value = form.variables.get(variable.name()).map_or("", String::as_str);
            (layout::input(problems, long, &AboutForm::field(variable.name()), &format!("${{{}}}", variable.name()), value, variable.description()))
        }
    }
}

fn name(form: &AboutForm, problems: &Problems) -> Markup {
    let kind = InputKind::Text { max: MAX_VALUE };
    layout::input(
        problems,
        kind,
        "name",
        "Name",
        &form.name,
        "What ${NAME} becomes.",
    )
}
