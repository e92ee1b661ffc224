//! The fields of a task's form, with its message editor and preview.

use std::borrow::Cow;

use maud::{Markup, html};
use webhook_model::SampleVariable;

use super::about::variables as of_type;
use super::form::TaskForm;
use super::preview::OBJECT;
use crate::context::PageContext;
use crate::layout::{self, InputKind, note};
use crate::message_preview::Preview;
use crate::problems::Problems;
use crate::texts::Texts;

/// How the form of a new task differs from that of an existing one, and what it offers.
pub(super) struct FormOptions<'a> {
    pub button: Cow<'a, str>,
    pub webhooks: Vec<(String, String)>,
    pub preview: Preview,
}

pub(super) fn fields(
    ctx: &PageContext,
    form: &TaskForm,
    problems: &Problems,
    options: &FormOptions<'_>,
) -> Markup {
    let t = ctx.texts();
    let webhook = [(
        "webhook".into(),
        t.of("tasks-object-type-webhook").into_owned(),
    )];
    let send = [("send".into(), t.of("tasks-send").into_owned())];
    html! {
        (layout::errors(t, problems))
        form.main method="post" action=(ctx.own()) novalidate data-check=(ctx.at("/tasks/check")) {
            input type="hidden" name="csrf" value=(ctx.csrf);
            button.unseen tabindex="-1" aria-hidden="true" { (options.button) }
            section {
                (layout::input(problems, InputKind::Text { max: 64 }, "name", &t.of("tasks-name"), &form.name, ""))
                (layout::area(problems, "description", &t.of("tasks-description-field"), &form.description, &t.of("tasks-description-hint"), ""))
                (layout::select(problems, "object_type", &t.of("tasks-object-type"), &webhook, "webhook", &t.of("tasks-object-type-hint"), false))
                (layout::picker(t, problems, "webhook", &t.of("tasks-object"), &options.webhooks, &form.webhook, &t.of("tasks-object-hint")))
                (layout::select(problems, "action", &t.of("tasks-action"), &send, "send", &t.of("tasks-action-hint"), false))
                @if options.webhooks.is_empty() {
                    @let link = html! { a href=(ctx.at("/webhooks/new")) { (t.of("tasks-object-new")) } };
                    (note("", &t.markup("tasks-object-none", &[("link", link.into())])))
                }
                (layout::check("enabled", &t.of("tasks-enabled-field"), &t.of("tasks-enabled-hint"), form.enabled))
                (layout::check("once", &t.of("tasks-once-field"), &t.of("tasks-once-hint"), form.once))
            }
            section {
                (layout::area(problems, "message", &t.of("tasks-message"), &form.message, &t.of("tasks-message-hint"), "code tall"))
                details open {
                    summary { (t.of("tasks-variables")) }
                    (variables(ctx))
                }
                (of_events(ctx))
            }
            section {
                div.title { h2 { (t.of("tasks-preview")) } div.actions { button.small.unscripted name="do" value="preview" formaction="#preview" { (t.of("tasks-preview-refresh")) } } }
                p.quiet { (t.with("tasks-preview-hint", &[("name", OBJECT.into())])) }
                (options.preview.shown(t))
            }
            div.submit {
                button.primary { (options.button) }
                a.button href=(ctx.at("/tasks")) { (t.of("frame-cancel")) }
            }
        }
    }
}

/// What every message can use.
fn variables(ctx: &PageContext) -> Markup {
    let t = ctx.texts();
    html! {
        dl.chips {
            (variable(t, "DATE", &t.of("tasks-variable-date")))
            (variable(t, "TIMESTAMP", &t.of("tasks-variable-timestamp")))
            (variable(t, "RANDOM", &t.of("tasks-variable-random")))
            (variable(t, "NAME", &t.of("tasks-variable-name")))
            (variable(t, "TYPE", &t.of("tasks-variable-type")))
            (variable(t, "EVENT", &t.of("tasks-variable-event")))
            (variable(t, "data", &t.of("tasks-variable-data")))
            @for (name, value) in ctx.actor.variables() { (variable(t, name, value)) }
        }
    }
}

/// What messages can use that events of a type run, where the platform says.
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

/// What a variable says, and a value as it might be.
fn sample(t: &Texts, one: &SampleVariable) -> String {
    let values = [
        ("description", t.rule(one.description()).into()),
        ("sample", one.sample().into()),
    ];
    t.with("tasks-variable-sample", &values)
}

/// A variable; with scripts, a button inserts it into the message.
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
