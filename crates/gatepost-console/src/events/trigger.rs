//! The page that triggers an event manually: it shows what the event runs, and the message as it
//! will be sent with the given values.

use axum::Json;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::{ManageError, TriggerInput};
use gatepost_storage::Row;
use gatepost_storage::webhooks::TaskRow;
use maud::{Markup, html};
use serde_json::Value;
use webhook_model::{Action, Data, Event, EventId, EventNotes, SampleVariable};

use super::labels::{applies_to, name, target};
use crate::context::PageContext;
use crate::failure::{Failure, note_refusal};
use crate::form::Form;
use crate::layout::{self, Section, note, page, refused, seen};
use crate::names::PlatformNames;
use crate::problems::Problems;
use crate::row_id::RowId;
use crate::samples::{self, Preview};

/// An event to be triggered, its task, and its values.
struct Trigger {
    row: Row<EventId, Event>,
    task: TaskRow,
    /// The variables of the event in the catalogue.
    variables: Vec<SampleVariable>,
    form: Form,
    /// The sample of its data.
    data: Option<Data>,
}

/// Shows the page, filled in with the samples of the catalogue.
pub(super) async fn ask(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let trigger = Trigger::of(&ctx, EventId(id), None).await?;
    let page = trigger.page(&ctx, &Problems::none()).await?;
    Ok(page.into_response())
}

/// Triggers the event, or shows the page again with the message for the present values.
pub(super) async fn trigger(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let is_preview = sent.text("do") == "preview";
    let trigger = Trigger::of(&ctx, EventId(id), Some(sent)).await?;
    let mut problems = trigger.problems(&ctx);
    if is_preview {
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

/// Returns the problems and the message while the user types.
pub(super) async fn check(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Json<Value>, Failure> {
    let trigger = Trigger::of(&ctx, EventId(id), Some(sent)).await?;
    let problems = trigger.problems(&ctx);
    Ok(trigger.preview(&ctx).await?.checked(&problems))
}

impl Trigger {
    /// Loads the event, and fills the form with the sent values or with the samples.
    async fn of(ctx: &PageContext, id: EventId, sent: Option<Form>) -> Result<Self, Failure> {
        let (row, task) = ctx.actor.event(id).await?;
        let (of, what) = (&row.value.event_type, &row.value.event);
        let notes = ctx.actor.catalog().notes(of, what);
        let variables = notes.into_iter().flat_map(EventNotes::variables);
        let variables: Vec<_> = variables.cloned().collect();
        let data = notes.and_then(EventNotes::data).cloned();
        let form = sent.unwrap_or_else(|| samples::filled(Form::default(), &variables));
        Ok(Self {
            row,
            task,
            variables,
            form,
            data,
        })
    }

    fn brought(&self) -> TriggerInput {
        let variables = samples::values(&self.form, &self.variables);
        let variables = variables.into_iter().collect();
        let mut brought = TriggerInput::default().with_variables(variables);
        brought.data = self.data.clone();
        brought
    }

    fn problems(&self, ctx: &PageContext) -> Problems {
        let mut problems = Problems::new(ctx.texts());
        let values = samples::values(&self.form, &self.variables);
        samples::check(ctx.texts(), &values, &mut problems);
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

/// Renders the page.
async fn page_of(
    ctx: &PageContext,
    trigger: &Trigger,
    problems: &Problems,
    preview: &Preview,
) -> Markup {
    let (t, task) = (ctx.texts(), &trigger.task.value);
    let path = ctx.at(&format!("/events/{}/trigger", trigger.row.id));
    let body = html! {
        (layout::errors(t, "events", problems, "events-trigger-refused"))
        @if !task.enabled { (note("warn", &html! { (t.of("events-trigger-disabled")) })) }
        @else if task.delete_after_run { (note("", &html! { (t.of("events-trigger-once")) })) }
        form.main method="post" action=(path) novalidate data-check={ (path) "/check" } {
            // The button that the Enter key presses.
            @if task.enabled { button.unseen tabindex="-1" aria-hidden="true" { (t.of("events-trigger-button")) } }
            input type="hidden" name="csrf" value=(ctx.csrf);
            section {
                (question(ctx, trigger).await)
                (samples::inputs(problems, &trigger.variables, &trigger.form))
            }
            section {
                div.title { h2 { (t.of("tasks-preview")) } div.actions { button.small.unscripted name="do" value="preview" formaction="#preview" { (t.of("tasks-preview-refresh")) } } }
                p.quiet { (t.of("events-trigger-preview-hint")) }
                (preview.shown(t))
            }
            div.submit {
                @if task.enabled { button.primary { (t.of("events-trigger-button")) } }
                a.button href=(ctx.at("/events")) { (t.of("frame-cancel")) }
            }
        }
    };
    page(ctx, Section::Events, &t.of("events-trigger-title"), &body)
}

/// Renders what the event runs, and with which values.
async fn question(ctx: &PageContext, trigger: &Trigger) -> Markup {
    let (t, event) = (ctx.texts(), &trigger.row.value);
    let names = PlatformNames::of(ctx, applies_to(event)).await;
    let task = seen(trigger.task.value.name.as_str());
    let parts = [
        ("name", html! { strong { (name(ctx, event)) } }.into()),
        ("target", target(ctx, event, &names).into()),
        ("task", html! { strong { (task) } }.into()),
    ];
    let brought = match (trigger.variables.is_empty(), &trigger.data) {
        (false, Some(_)) => "events-trigger-samples-data",
        (false, None) => "events-trigger-samples",
        (true, Some(_)) => "events-trigger-data",
        (true, None) => "events-trigger-nothing",
    };
    html! {
        p { (t.markup("events-trigger-question", &parts)) }
        p.quiet { (t.of(brought)) }
    }
}
