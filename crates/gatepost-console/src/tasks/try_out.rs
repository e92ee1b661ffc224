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
use crate::texts::Texts;

pub(super) async fn show(
    ctx: PageContext,
    RowId(id): RowId,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let row = ctx.actor.task(TaskId(id)).await?;
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let options = AboutOptions::of(&ctx, query.text("type")).await;
    let form = AboutForm::fresh(options.as_ref());
    let body = body(&ctx, &row, &form, options.as_ref(), &Problems::none());
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
    let mut problems = Problems::new(ctx.texts());
    if let Some(about) = form.parse(ctx.texts(), &mut problems) {
        match ctx.actor.test_task(row.id, about).await {
            Ok(delivery) => {
                let path = ctx.at(&format!("/deliveries/{delivery}?done=tested"));
                return Ok(Redirect::to(&path).into_response());
            }
            Err(error) => note_error(ctx.texts(), error, &mut problems)?,
        }
    }
    let body = body(&ctx, &row, &form, options.as_ref(), &problems);
    Ok(refused(page_of(&ctx, &row, &body)))
}

/// Runs the task: as by an event, if something is chosen.
pub(super) async fn run(ctx: &PageContext, id: TaskId, sent: &Form) -> Result<Response, Failure> {
    let options = AboutOptions::of(ctx, sent.text("type")).await;
    let form = AboutForm::sent(sent, options.as_ref());
    let mut problems = Problems::new(ctx.texts());
    if let Some(about) = form.parse(ctx.texts(), &mut problems) {
        match ctx.actor.run_task_about(id, about).await {
            Ok(_) => return Ok(Redirect::to(&ctx.at("/tasks?done=ran")).into_response()),
            Err(ManageError::Disabled) => {
                let text = ctx.texts().of("tasks-not-run");
                return Err(Failure::Conflict(text.into_owned()));
            }
            // Beside the form that it came from; a button of the list has no form.
            Err(error) if options.is_some() => {
                note_error(ctx.texts(), error, &mut problems)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    let row = ctx.actor.task(id).await?;
    let body = body(ctx, &row, &form, options.as_ref(), &problems);
    Ok(refused(page_of(ctx, &row, &body)))
}

fn note_error(t: &Texts, error: ManageError, problems: &mut Problems) -> Result<(), Failure> {
    match error {
        ManageError::NoSuchObject => problems.add("object", t.of("tasks-unknown-object")),
        ManageError::Invalid { field, rule, .. } => problems.add(field, rule),
        ManageError::Message(error) => problems.refuse(error),
        other => note_refusal(other, problems)?,
    }
    Ok(())
}

fn page_of(ctx: &PageContext, row: &TaskRow, body: &Markup) -> Markup {
    let name = [("name", row.task.name.as_str().into())];
    let title = ctx.texts().with("tasks-test-title", &name);
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
    let (t, catalog) = (ctx.texts(), ctx.actor.catalog());
    let none = t.of("tasks-test-type-none").into_owned();
    let mut types = vec![(String::new(), none)];
    types.extend(
        catalog
            .types()
            .map(|(of, label, _)| (of.to_string(), t.rule(label).into_owned())),
    );
    html! {
        (layout::errors_of(t, problems, &t.of("tasks-test-refused")))
        @if row.task.delete_after_run { (note("", &html! { (t.of("tasks-test-once")) })) }
        form.main method="get" action={ (path) "/test" } {
            section {
                (layout::select(&Problems::none(), "type", &t.of("tasks-test-type"), &types, &form.event_type, &t.of("tasks-test-type-hint"), true))
                button.unscripted { (t.of("tasks-test-choose")) }
            }
        }
        form.main method="post" action={ (path) "/test" } novalidate {
            input type="hidden" name="csrf" value=(ctx.csrf);
            input type="hidden" name="type" value=(form.event_type);
            section {
                @match options {
                    Some(options) => (fields(t, form, options, problems)),
                    None => (name(t, form, problems)),
                }
                h2 { (t.of("tasks-message")) }
                pre tabindex="0" aria-label=(t.of("tasks-test-message-label")) { (seen(message_of(row))) }
            }
            p.quiet { (t.of("tasks-test-note")) }
            div.submit {
                button.primary { (t.of("tasks-test-send")) }
                @if row.task.enabled { button formaction={ (path) "/do/run" } { (t.of("tasks-test-run")) } }
                a.button href=(ctx.at("/tasks")) { (t.of("frame-cancel")) }
            }
        }
    }
}

fn fields(t: &Texts, form: &AboutForm, options: &AboutOptions, problems: &Problems) -> Markup {
    let of = [("type", options.label.as_str().into())];
    let hint = t.with("tasks-test-event-hint", &of);
    let long = InputKind::Text { max: MAX_VALUE };
    html! {
        (layout::select(problems, "event", &t.of("tasks-test-event"), &options.events, &form.event, &hint, false))
        @if options.objects.is_empty() { (name(t, form, problems)) }
        @else {
            (layout::picker(t, problems, "object", &t.of("tasks-test-object"), &options.objects, &form.object, &t.of("tasks-test-object-hint")))
            (name(t, form, problems))
        }
        @for variable in &options.variables {
            @let value = form.variables.get(variable.name()).map_or("", String::as_str);
            (layout::input(problems, long, &AboutForm::field(variable.name()), &format!("${{{}}}", variable.name()), value, variable.description()))
        }
    }
}

fn name(t: &Texts, form: &AboutForm, problems: &Problems) -> Markup {
    let kind = InputKind::Text { max: MAX_VALUE };
    layout::input(
        problems,
        kind,
        "name",
        &t.of("tasks-test-name"),
        &form.name,
        &t.of("tasks-test-name-hint"),
    )
}
