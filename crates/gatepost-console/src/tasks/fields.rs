//! The form of a task, with its message editor.

use gatepost_engine::Example;
use maud::{Markup, html};
use webhook_model::{Action, Description, Headers, Message, OwnerId, Task, TaskName, WebhookId};

use crate::failure::Failure;
use crate::form::{Form, Problems, rule};
use crate::layout::{self, Kind, note};
use crate::session::Ctx;

/// The name of the object in the preview.
pub(super) const OBJECT: &str = "web-1";

/// What stands in the fields, right or wrong.
#[derive(Debug, Default)]
pub(super) struct Typed {
    pub name: String,
    pub description: String,
    pub webhook: String,
    pub message: String,
    pub enabled: bool,
    pub once: bool,
}

impl Typed {
    pub(super) fn of_form(form: &Form) -> Self {
        Self {
            name: form.text("name").to_owned(),
            description: form.lines("description"),
            webhook: form.text("webhook").trim().to_owned(),
            message: form.lines("message"),
            enabled: form.ticked("enabled"),
            once: form.ticked("once"),
        }
    }

    pub(super) fn of(task: &Task) -> Self {
        let (webhook, message) = match &task.action {
            Action::Send { webhook, message } => (webhook.to_string(), message.as_str().to_owned()),
            _ => Default::default(),
        };
        Self {
            name: task.name.to_string(),
            description: task.description.as_str().to_owned(),
            webhook,
            message,
            enabled: task.enabled,
            once: task.delete_after_run,
        }
    }

    /// Reads the fields; whatever is wrong is noted beside its field.
    pub(super) async fn parse(
        &self,
        ctx: &Ctx,
        problems: &mut Problems,
        creator: OwnerId,
    ) -> Result<Option<Task>, Failure> {
        let name = problems.take("name", self.name.parse::<TaskName>().map_err(rule));
        let description = self.description.parse::<Description>().map_err(rule);
        let description = problems.take("description", description);
        let message = problems.take("message", self.message.parse::<Message>().map_err(rule));
        let webhook = match self.webhook.parse() {
            Ok(id) => match ctx.webhook(id).await {
                Ok(row) => Ok(row.id),
                Err(Failure::NotFound) => Err("there is no such webhook"),
                Err(failure) => return Err(failure),
            },
            Err(_) => Err("choose the webhook that sends the message"),
        };
        let webhook: Option<WebhookId> = problems.take("webhook", webhook);
        let (Some(name), Some(description), Some(message), Some(webhook)) =
            (name, description, message, webhook)
        else {
            return Ok(None);
        };
        Ok(Some(Task {
            creator,
            name,
            description,
            enabled: self.enabled,
            delete_after_run: self.once,
            action: Action::Send { webhook, message },
        }))
    }

    /// The message as it would be sent, and what may surprise its author.
    pub(super) async fn preview(&self, ctx: &Ctx) -> (String, String) {
        let Ok(message) = self.message.parse::<Message>() else {
            return Default::default();
        };
        let Ok(example) = ctx.console.inner.engine.example(&message, OBJECT) else {
            return (
                String::new(),
                "With its variables filled in, the message is larger than 4 MiB.".into(),
            );
        };
        let webhook = match self.webhook.parse() {
            Ok(id) => ctx.webhook(id).await.ok(),
            Err(_) => None,
        };
        let headers = webhook.map(|row| row.value.headers);
        let warnings = warnings(&example, headers.as_ref());
        (example.text, warnings)
    }
}

fn warnings(example: &Example, headers: Option<&Headers>) -> String {
    let mut said = Vec::new();
    if !example.unknown.is_empty() {
        let names: Vec<_> = example
            .unknown
            .iter()
            .map(|n| format!("${{{n}}}"))
            .collect();
        said.push(format!(
            "Nobody knows {}: it stays in the message as it is.",
            names.join(", ")
        ));
    }
    if !example.is_json && headers.is_none_or(Headers::is_json) {
        said.push(if headers.is_some() {
            "The message is not JSON, but the webhook's Content-Type says so.".to_owned()
        } else {
            "The message is not JSON.".to_owned()
        });
    }
    said.join(" ")
}

/// What differs between a new task and one that is edited.
pub(super) struct Around {
    pub button: &'static str,
    pub webhooks: Vec<(String, String)>,
    /// The message as it would be sent, and warnings.
    pub preview: (String, String),
}

pub(super) fn form(ctx: &Ctx, typed: &Typed, problems: &Problems, around: &Around) -> Markup {
    let (preview, warnings) = &around.preview;
    html! {
        (layout::errors(problems))
        form.main method="post" novalidate data-check=(ctx.console.at("/tasks/check")) {
            input type="hidden" name="csrf" value=(ctx.csrf);
            button.unseen tabindex="-1" aria-hidden="true" { (around.button) }
            section {
                (layout::input(problems, Kind::Text { max: 64 }, "name", "Name", &typed.name, ""))
                (layout::area(problems, "description", "Description (optional)", &typed.description, "Purpose, expected outcome.", ""))
                (layout::picker(problems, "webhook", "Webhook", &around.webhooks, &typed.webhook, "Where the message goes."))
                @if around.webhooks.is_empty() { (note("", &html! { "There is nothing to choose from. A task needs a webhook: " a href=(ctx.console.at("/webhooks/new")) { "New Webhook" } "." })) }
                (layout::check("enabled", "Enabled", "Events run it, and so may you.", typed.enabled))
                (layout::check("once", "Delete task after running", "It runs once and is then deleted with its events.", typed.once))
            }
            section {
                (layout::area(problems, "message", "Message", &typed.message, "The payload, with variables that are filled in when the task runs.", "code tall"))
                details open {
                    summary { "Variables" }
                    (variables(ctx))
                }
            }
            section {
                div.title { h2 { "Preview" } div.actions { button.small.unscripted name="do" value="preview" formaction="#preview" { "Refresh" } } }
                p.quiet { "As it would be sent now for an object called " (OBJECT) "." }
                pre id="preview" tabindex="0" data-hint="preview" aria-label="Preview of the message" { (preview) }
                p.note.warn data-hint="warnings" hidden[warnings.is_empty()] { (warnings) }
            }
            div.submit {
                button.primary { (around.button) }
                a.button href=(ctx.console.at("/tasks")) { "Cancel" }
            }
        }
    }
}

fn variables(ctx: &Ctx) -> Markup {
    let engine = &ctx.console.inner.engine;
    html! {
        dl {
            dt { code { "${DATE}" } } dd { "Date and time: Thu, 16 Oct 2025 11:38:07 EDT" }
            dt { code { "${TIMESTAMP}" } } dd { "The same as epoch seconds, a number" }
            dt { code { "${RANDOM}" } } dd { "A random whole number, another at each place" }
            dt { code { "${NAME}" } } dd { "The name of the object that the event is about" }
            @for (name, value) in engine.variables() { dt { code { "${" (name) "}" } } dd { (value) } }
        }
    }
}
