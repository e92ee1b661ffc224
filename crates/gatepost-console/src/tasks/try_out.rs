//! The page that tests or runs a task for a chosen object.

use axum::Json;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::{About, ManageError};
use gatepost_storage::webhooks::TaskRow;
use maud::{Markup, html};
use serde_json::Value;
use webhook_model::TaskId;

use super::about::{AboutOptions, fresh, parse, preview_about};
use crate::context::PageContext;
use crate::failure::{Failure, note_refusal};
use crate::form::{Form, Query};
use crate::layout::{self, InputKind, Section, note, page, refused};
use crate::names::types;
use crate::problems::Problems;
use crate::row_id::RowId;
use crate::samples::{self, MAX_VALUE, Preview};
use crate::texts::Texts;

/// A task, and the present values of the form.
struct Trial {
    row: TaskRow,
    options: Option<AboutOptions>,
    form: Form,
}

pub(super) async fn show(
    ctx: PageContext,
    RowId(id): RowId,
    Query(query): Query,
) -> Result<Response, Failure> {
    let row = ctx.actor.task(TaskId(id)).await?;
    let options = AboutOptions::of(&ctx, &query).await?;
    let form = fresh(options.as_ref());
    let trial = Trial { row, options, form };
    // The form is not filled in yet, so nothing can be wrong.
    let shown = trial
        .filled_in(&ctx, &mut Problems::new(ctx.texts()))
        .await?;
    Ok(trial.page(&ctx, &Problems::none(), &shown).into_response())
}

/// Returns the message and the problems while the user types.
pub(super) async fn check(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Json<Value>, Failure> {
    let trial = Trial::sent(&ctx, TaskId(id), sent).await?;
    let mut problems = Problems::new(ctx.texts());
    let shown = trial.filled_in(&ctx, &mut problems).await?;
    Ok(shown.checked(&problems))
}

/// Sends the test and shows its delivery, or shows the page again with the message for the present
/// values.
pub(super) async fn test(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let trial = Trial::sent(&ctx, TaskId(id), sent).await?;
    let mut problems = Problems::new(ctx.texts());
    if trial.form.given("do").is_some() {
        let shown = trial.filled_in(&ctx, &mut problems).await?;
        return Ok(trial.page(&ctx, &problems, &shown).into_response());
    }
    if let Some(about) = trial.parse(&ctx, &mut problems) {
        match ctx.actor.test_task(trial.row.id, about).await {
            Ok(delivery) => {
                let path = ctx.at(&format!("/deliveries/{delivery}?done=tested"));
                return Ok(Redirect::to(&path).into_response());
            }
            Err(error) => note_error(ctx.texts(), error, &mut problems)?,
        }
    }
    trial.refusal(&ctx, &problems).await
}

/// Runs the task; as an event would, if a type is chosen.
pub(super) async fn run(ctx: &PageContext, id: TaskId, sent: Form) -> Result<Response, Failure> {
    if sent.given("do").is_some() {
        return test(ctx.clone(), RowId(id.0), sent).await;
    }
    let options = AboutOptions::of(ctx, &sent).await?;
    let mut problems = Problems::new(ctx.texts());
    if let Some(about) = parse(&sent, options.as_ref(), ctx.texts(), &mut problems) {
        match ctx.actor.run_task_about(id, about).await {
            Ok(_) => return Ok(Redirect::to(&ctx.at("/tasks?done=ran")).into_response()),
            Err(ManageError::Disabled) => {
                let text = ctx.texts().of("tasks-not-run");
                return Err(Failure::Conflict(text.into_owned()));
            }
            // Next to the form that it came from; a button of the list has no form.
            Err(error) if options.is_some() => {
                note_error(ctx.texts(), error, &mut problems)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    let row = ctx.actor.task(id).await?;
    let form = sent;
    Trial { row, options, form }.refusal(ctx, &problems).await
}

impl Trial {
    async fn sent(ctx: &PageContext, id: TaskId, form: Form) -> Result<Self, Failure> {
        let row = ctx.actor.task(id).await?;
        let options = AboutOptions::of(ctx, &form).await?;
        Ok(Self { row, options, form })
    }

    fn parse(&self, ctx: &PageContext, problems: &mut Problems) -> Option<About> {
        parse(&self.form, self.options.as_ref(), ctx.texts(), problems)
    }

    /// Returns the message as it would be sent; empty if the form has errors, which are noted.
    async fn filled_in(
        &self,
        ctx: &PageContext,
        problems: &mut Problems,
    ) -> Result<Preview, Failure> {
        let Some(about) = self.parse(ctx, problems) else {
            return Ok(Preview::default());
        };
        match preview_about(ctx, &self.row, about).await {
            Ok(preview) => Ok(preview),
            Err(error) => {
                note_error(ctx.texts(), error, problems)?;
                Ok(Preview::default())
            }
        }
    }

    /// Shows the page again, with its problems.
    async fn refusal(&self, ctx: &PageContext, problems: &Problems) -> Result<Response, Failure> {
        let shown = self.filled_in(ctx, &mut Problems::new(ctx.texts())).await?;
        Ok(refused(self.page(ctx, problems, &shown)))
    }

    fn page(&self, ctx: &PageContext, problems: &Problems, shown: &Preview) -> Markup {
        let Self { row, options, form } = self;
        let body = body(ctx, row, form, options.as_ref(), problems, shown);
        let name = [("name", row.value.name.as_str().into())];
        let title = ctx.texts().with("tasks-test-title", &name);
        page(ctx, Section::Tasks, &title, &body)
    }
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

/// Renders the forms: one chooses the type, the other sends.
fn body(
    ctx: &PageContext,
    row: &TaskRow,
    form: &Form,
    options: Option<&AboutOptions>,
    problems: &Problems,
    preview: &Preview,
) -> Markup {
    let path = ctx.at(&format!("/tasks/{}", row.id));
    let t = ctx.texts();
    let none = t.of("tasks-test-type-none").into_owned();
    let mut types = types(ctx);
    types.insert(0, (String::new(), none));
    html! {
        (layout::errors(t, "tasks", problems, "tasks-test-refused"))
        @if row.value.delete_after_run { (note("", &html! { (t.of("tasks-test-once")) })) }
        form.main method="get" action={ (path) "/test" } {
            section {
                (layout::select(&Problems::none(), "type", &t.of("tasks-test-type"), &types, form.word("type"), &t.of("tasks-test-type-hint"), true))
                button.unscripted { (t.of("tasks-test-choose")) }
            }
        }
        form.main method="post" action={ (path) "/test" } novalidate data-check={ (path) "/test/check" } {
            // The button that the Enter key presses.
            button.unseen tabindex="-1" aria-hidden="true" { (t.of("tasks-test-send")) }
            input type="hidden" name="csrf" value=(ctx.csrf);
            input type="hidden" name="type" value=(form.word("type"));
            section {
                @match options {
                    Some(options) => (fields(t, form, options, problems)),
                    None => (name(t, form, problems)),
                }
            }
            section {
                div.title { h2 { (t.of("tasks-preview")) } div.actions { button.small.unscripted name="do" value="preview" formaction={ (path) "/test#preview" } { (t.of("tasks-preview-refresh")) } } }
                p.quiet { (t.of("tasks-test-preview-hint")) }
                (preview.shown(t))
            }
            p.quiet { (t.of("tasks-test-note")) }
            div.submit {
                button.primary { (t.of("tasks-test-send")) }
                @if row.value.enabled { button formaction={ (path) "/do/run" } { (t.of("tasks-test-run")) } }
                a.button href=(ctx.at("/tasks")) { (t.of("frame-cancel")) }
            }
        }
    }
}

fn fields(t: &Texts, form: &Form, options: &AboutOptions, problems: &Problems) -> Markup {
    let of = [("type", options.label.as_str().into())];
    let hint = t.with("tasks-test-event-hint", &of);
    html! {
        (layout::select(problems, "event", &t.of("tasks-test-event"), &options.events, form.word("event"), &hint, false))
        @if options.objects.rows.is_empty() { (name(t, form, problems)) }
        @else {
            (layout::picker(t, problems, "object", [&t.of("tasks-test-object"), &t.of("tasks-test-object-hint")], &options.objects, form.word("object"), None))
            (name(t, form, problems))
        }
        (samples::inputs(problems, &options.variables, form))
    }
}

fn name(t: &Texts, form: &Form, problems: &Problems) -> Markup {
    let kind = InputKind::Text { max: MAX_VALUE };
    layout::input(
        problems,
        kind,
        "name",
        &t.of("tasks-test-name"),
        form.word("name"),
        &t.of("tasks-test-name-hint"),
    )
}
