//! The form of a task, with its message editor and preview.

use axum::response::Response;
use gatepost_manage::ManageError;
use gatepost_storage::webhooks::TaskRow;
use maud::{Markup, html};
use serde_json::Value;
use webhook_model::{
    Action, Description, Message, SampleVariable, Task, TaskId, TaskName, WebhookId,
};

use super::about::{OBJECT, preview, variables as of_type};
use crate::choices::choices;
use crate::context::PageContext;
use crate::crud::{self, Resource, to_list};
use crate::failure::Failure;
use crate::fields::{Sheet, task};
use crate::form::{Choices, Form};
use crate::layout::{Section, changes_link, note, page_with, seen};
use crate::problems::{Problems, rule};
use crate::samples::Preview;
use crate::texts::Texts;
use crate::unreadable::{Kind, if_readable, question};

/// The forms of tasks.
pub(super) struct Tasks;

impl Resource for Tasks {
    type Row = TaskRow;
    type Draft = Task;
    /// The number of a new task.
    type Saved = Option<TaskId>;
    const AREA: &'static str = "tasks";
    const SECTION: Section = Section::Tasks;

    fn fresh(_ctx: &PageContext, query: &Form) -> Form {
        Form::default()
            .with("webhook", query.text("webhook"))
            .with("message", Message::default().as_str())
            .with_tick("enabled", true)
    }

    async fn load(ctx: &PageContext, id: i64) -> Result<TaskRow, Failure> {
        Ok(ctx.actor.task(TaskId(id)).await?)
    }

    fn form(row: &TaskRow) -> Form {
        let task = &row.value;
        let form = match &task.action {
            Action::Send { webhook, message } => Form::default()
                .with("webhook", webhook.to_string())
                .with("message", message.as_str()),
            _ => Form::default(),
        };
        form.with("name", task.name.as_str())
            .with("description", task.description.as_str())
            .with_tick("enabled", task.enabled)
            .with_tick("once", task.delete_after_run)
    }

    async fn page(
        ctx: &PageContext,
        row: Option<&TaskRow>,
        form: &Form,
        problems: &Problems,
    ) -> Result<Markup, Failure> {
        let (webhooks, preview) = (
            choices(ctx, form, "webhook", "webhook_urls").await?,
            preview(ctx, form).await,
        );
        let fields = fields(ctx, form, problems, &webhooks, &preview);
        let to = ["/tasks/check", "/tasks"];
        let body = crud::form::<Self>(ctx, row.is_none(), form, problems, to, &fields);
        let t = ctx.texts();
        let title = match row {
            Some(row) => t.with("tasks-edit", &[("name", row.value.name.as_str().into())]),
            None => t.of("tasks-new").into_owned(),
        };
        let buttons = html! { @if let Some(row) = row {
            (changes_link(ctx, "tasks", row.id.0))
            a.button href=(ctx.at(&format!("/tasks/{}/cancel", row.id))) { (t.of("tasks-cancel")) }
        } };
        Ok(page_with(ctx, Section::Tasks, &title, &buttons, &body))
    }

    async fn parse(
        ctx: &PageContext,
        row: Option<&TaskRow>,
        form: &Form,
        problems: &mut Problems,
    ) -> Result<Option<Task>, Failure> {
        let t = ctx.texts();
        let name = form.text("name").parse::<TaskName>().map_err(rule);
        let name = problems.take("name", name);
        let description = form.lines("description").parse::<Description>();
        let description = problems.take("description", description.map_err(rule));
        let message = form.lines("message").parse::<Message>().map_err(rule);
        let message = problems.take("message", message);
        let webhook = match form.word("webhook").parse() {
            Ok(id) => match ctx.actor.webhook(WebhookId(id)).await {
                Ok(row) => Ok(row.id),
                Err(ManageError::NotFound) => Err(t.of("tasks-unknown-webhook")),
                Err(error) => return Err(error.into()),
            },
            Err(_) => Err(t.of("tasks-choose-webhook")),
        };
        let webhook: Option<WebhookId> = problems.take("webhook", webhook);
        let (Some(name), Some(description), Some(message), Some(webhook)) =
            (name, description, message, webhook)
        else {
            return Ok(None);
        };
        Ok(Some(Task {
            creator: row.map_or(ctx.principal().owner, |row| row.value.creator),
            name,
            description,
            enabled: form.ticked("enabled"),
            delete_after_run: form.ticked("once"),
            action: Action::Send { webhook, message },
        }))
    }

    async fn save(
        ctx: &PageContext,
        row: Option<&TaskRow>,
        draft: Task,
    ) -> Result<Option<TaskId>, ManageError> {
        let Some(row) = row else {
            return Ok(Some(ctx.actor.create_task(draft).await?.id));
        };
        let edited = ctx.actor.edit_task(row.id, move |task| {
            task.clone_from(&draft);
            Ok(())
        });
        edited.await.map(|_| None)
    }

    async fn saved(
        ctx: &PageContext,
        done: &'static str,
        new: Option<TaskId>,
    ) -> Result<Response, Failure> {
        Ok(match new {
            Some(id) => to_list::<Self>(ctx, &format!("{done}&new={id}")),
            None => to_list::<Self>(ctx, done),
        })
    }

    fn refusal(error: &ManageError) -> Option<(&'static str, &'static str)> {
        match error {
            ManageError::Dangling { .. } => Some(("webhook", "tasks-unknown-webhook")),
            _ => None,
        }
    }

    async fn hints(ctx: &PageContext, form: &Form) -> Result<Value, Failure> {
        Ok(preview(ctx, form).await.hints())
    }

    async fn question(ctx: &PageContext, id: i64) -> Result<[Markup; 2], Failure> {
        let (t, row) = (ctx.texts(), if_readable(ctx.actor.task(TaskId(id)).await)?);
        let what = match &row {
            Some(row) => {
                let name = html! { strong { (seen(row.value.name.as_str())) } };
                html! { p { (t.markup("tasks-delete-question", &[("name", name.into())])) } }
            }
            None => question(t, Kind::Task, id),
        };
        Ok([what, html! {}])
    }

    async fn remove(ctx: &PageContext, id: i64, _sent: &Form) -> Result<(), ManageError> {
        ctx.actor.delete_task(TaskId(id)).await.map(|_| ())
    }
}

fn fields(
    ctx: &PageContext,
    form: &Form,
    problems: &Problems,
    webhooks: &Choices,
    preview: &Preview,
) -> Markup {
    let texts = ctx.texts();
    let t = texts;
    let sheet = Sheet::new(texts, "tasks", form, problems);
    let only = |word: &str, text: &str| [(word.to_owned(), t.of(text).into_owned())];
    html! {
        section {
            (sheet.fields(task::WHAT))
            (sheet.select("object_type", &only("webhook", "tasks-object-type-webhook"), false))
            (sheet.picker("webhook", webhooks))
            (sheet.select("action", &only("send", "tasks-send"), false))
            @if webhooks.rows.is_empty() {
                @let link = html! { a href=(ctx.at("/webhooks/new")) { (t.of("tasks-object-new")) } };
                (note("", &t.markup("tasks-object-none", &[("link", link.into())])))
            }
            (sheet.fields(task::RUNS))
        }
        section {
            (sheet.field(&task::MESSAGE, ""))
            details open {
                summary { (t.of("tasks-variables")) }
                (variables(ctx))
            }
            (of_events(ctx))
        }
        section {
            div.title { h2 { (t.of("tasks-preview")) } div.actions { button.small.unscripted name="do" value="preview" formaction="#preview" { (t.of("tasks-preview-refresh")) } } }
            p.quiet { (t.with("tasks-preview-hint", &[("name", OBJECT.into())])) }
            (preview.shown(t))
        }
    }
}

/// Renders the variables that every message can use.
fn variables(ctx: &PageContext) -> Markup {
    let t = ctx.texts();
    html! {
        dl.chips {
            @for name in ["DATE", "TIMESTAMP", "RANDOM", "NAME", "TYPE", "EVENT", "data"] {
                (variable(t, name, &t.of(&format!("tasks-variable-{}", name.to_lowercase()))))
            }
            @for (name, value) in ctx.actor.variables() { (variable(t, name, value)) }
        }
    }
}

/// Renders the variables for messages that events of a type run, if the platform describes them.
fn of_events(ctx: &PageContext) -> Markup {
    let t = ctx.texts();
    html! {
        @for (of, label, _) in ctx.actor.catalog().types() {
            @let brought = of_type(ctx, of);
            @if !brought.is_empty() {
                details {
                    summary { (t.with("tasks-variables-of", &[("type", t.rule(label).into())])) }
                    dl.chips { @for one in &brought { (variable(t, one.name(), &sample(t, one))) } }
                }
            }
        }
    }
}

/// Returns the description of a variable, with a sample value.
fn sample(t: &Texts, one: &SampleVariable) -> String {
    let values = [
        ("description", t.rule(one.description()).into()),
        ("sample", one.sample().into()),
    ];
    t.with("tasks-variable-sample", &values)
}

/// Renders a variable; with scripts, a button inserts it into the message.
fn variable(t: &Texts, name: &str, text: &str) -> Markup {
    let written = format!("${{{name}}}");
    html! {
        dt {
            code.unscripted { (written) }
            button.small.chip.scripted type="button" data-insert=(written) data-into="message" aria-label=(t.with("tasks-variable-insert", &[("variable", written.as_str().into())])) { (written) }
        }
        dd { (text) }
    }
}
