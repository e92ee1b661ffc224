//! The fields of a task's form, with its message editor and preview.

use maud::{Markup, html};

use super::about::variables as of_type;
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
        (layout::errors(ctx.texts(), problems))
        form.main method="post" action=(ctx.own()) novalidate data-check=(ctx.at("/tasks/check")) {
            input type="hidden" name="csrf" value=(ctx.csrf);
            button.unseen tabindex="-1" aria-hidden="true" { (options.button) }
            section {
                (layout::input(problems, InputKind::Text { max: 64 }, "name", "Name", &form.name, ""))
                (layout::area(problems, "description", "Description (optional)", &form.description, "The purpose, or what the target is expected to do.", ""))
                (layout::select(problems, "object_type", "Object type", &[("webhook".into(), "Webhook".into())], "webhook", "What the task acts on.", false))
                (layout::picker(ctx.texts(), problems, "webhook", "Object", &options.webhooks, &form.webhook, "The webhook that sends the message."))
                (layout::select(problems, "action", "Action", &[("send".into(), "Send".into())], "send", "What the task does with it.", false))
                @if options.webhooks.is_empty() { (note("", &html! { "There are no webhooks to choose from, and a task needs one: " a href=(ctx.at("/webhooks/new")) { "New webhook" } "." })) }
                (layout::check("enabled", "Enabled", "The task runs when its events occur, or when you run it.", form.enabled))
                (layout::check("once", "Delete task after running", "The task runs once, and is then deleted together with its events.", form.once))
            }
            section {
                (layout::area(problems, "message", "Message", &form.message, "The payload. Variables are filled in when the task runs.", "code tall"))
                details open {
                    summary { "Variables" }
                    (variables(ctx))
                }
                (of_events(ctx))
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

/// What every message can use.
fn variables(ctx: &PageContext) -> Markup {
    html! {
        dl.chips {
            (variable("DATE", "Date and time: Thu, 16 Oct 2025 11:38:07 EDT"))
            (variable("TIMESTAMP", "The same time in seconds since 1970-01-01 UTC"))
            (variable("RANDOM", "A random whole number, different for each occurrence"))
            (variable("NAME", "The name of the object that the event applies to"))
            @for (name, value) in ctx.actor.variables() { (variable(name, value)) }
        }
    }
}

/// What messages can use that events of a type run, where the platform says.
fn of_events(ctx: &PageContext) -> Markup {
    html! {
        @for (of, label, _) in ctx.actor.catalog().types() {
            @let brought = of_type(ctx, of);
            @if !brought.is_empty() {
                details {
                    summary { "Variables of events: " (label) }
                    dl.chips { @for one in &brought { (variable(one.name(), &format!("{}: {}", one.description(), one.sample()))) } }
                }
            }
        }
    }
}

/// A variable; with scripts, a button inserts it into the message.
fn variable(name: &str, text: &str) -> Markup {
    let written = format!("${{{name}}}");
    html! {
        dt {
            code.unscripted { (written) }
            button.small.chip.scripted type="button" data-insert=(written) data-into="message" aria-label={ "Insert " (written) " into the message" } { (written) }
        }
        dd { (text) }
    }
}
