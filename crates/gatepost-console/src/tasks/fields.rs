//! The fields of a task's form, with its message editor and preview.

use maud::{Markup, html};

use super::form::TaskForm;
use super::preview::{OBJECT, Preview};
use crate::context::PageContext;
use crate::layout::{self, InputKind, note};
use crate::problems::Problems;

/// How the form of a new task differs from that of an existing one, and what it offers.
pub(super) struct FormOptions {
    pub button: &'static str,
    pub webhooks: Vec<(String, String)>,
    pub preview: Preview,
}

pub(super) fn fields(
    ctx: &PageContext,
    form: &TaskForm,
    problems: &Problems,
    options: &FormOptions,
) -> Markup {
    let Preview { text, warnings } = &options.preview;
    html! {
        (layout::errors(problems))
        form.main method="post" action=(ctx.own()) novalidate data-check=(ctx.at("/tasks/check")) {
            input type="hidden" name="csrf" value=(ctx.csrf);
            button.unseen tabindex="-1" aria-hidden="true" { (options.button) }
            section {
                (layout::input(problems, InputKind::Text { max: 64 }, "name", "Name", &form.name, ""))
                (layout::area(problems, "description", "Description (optional)", &form.description, "For example, the purpose and the expected outcome.", ""))
                (layout::picker(problems, "webhook", "Webhook", &options.webhooks, &form.webhook, "The webhook that sends the message."))
                @if options.webhooks.is_empty() { (note("", &html! { "There is no webhook to choose from. A task needs one: " a href=(ctx.at("/webhooks/new")) { "New webhook" } "." })) }
                (layout::check("enabled", "Enabled", "Events can trigger it, and you can run it manually.", form.enabled))
                (layout::check("once", "Delete task after running", "The task runs once, and is then deleted together with its events.", form.once))
            }
            section {
                (layout::area(problems, "message", "Message", &form.message, "The payload. Variables are filled in when the task runs.", "code tall"))
                details open {
                    summary { "Variables" }
                    (variables(ctx))
                }
            }
            section {
                div.title { h2 { "Preview" } div.actions { button.small.unscripted name="do" value="preview" formaction="#preview" { "Refresh" } } }
                p.quiet { "The message as it would be sent now for an object named " (OBJECT) "." }
                pre id="preview" tabindex="0" data-hint="preview" aria-label="Preview of the message" { (text) }
                p.note.warn data-hint="warnings" hidden[warnings.is_empty()] { (warnings) }
            }
            div.submit {
                button.primary { (options.button) }
                a.button href=(ctx.at("/tasks")) { "Cancel" }
            }
        }
    }
}

fn variables(ctx: &PageContext) -> Markup {
    html! {
        dl {
            dt { code { "${DATE}" } } dd { "Date and time: Thu, 16 Oct 2025 11:38:07 EDT" }
            dt { code { "${TIMESTAMP}" } } dd { "The same time in seconds since 1970-01-01 UTC" }
            dt { code { "${RANDOM}" } } dd { "A random whole number, different for each occurrence" }
            dt { code { "${NAME}" } } dd { "The name of the object that the event applies to" }
            @for (name, value) in ctx.actor.variables() { dt { code { "${" (name) "}" } } dd { (value) } }
        }
    }
}
