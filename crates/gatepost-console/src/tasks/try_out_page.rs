//! The page that tests or runs a task: its forms, and the message as it would be sent.

use gatepost_storage::webhooks::TaskRow;
use maud::{Markup, html};

use super::about::{AboutForm, AboutOptions};
use crate::context::PageContext;
use crate::layout::{self, InputKind, Section, note, page};
use crate::message_preview::Preview;
use crate::problems::Problems;
use crate::sample_fields::{self, MAX_VALUE};
use crate::texts::Texts;

/// The page.
pub(super) fn page_of(ctx: &PageContext, row: &TaskRow, body: &Markup) -> Markup {
    let name = [("name", row.value.name.as_str().into())];
    let title = ctx.texts().with("tasks-test-title", &name);
    page(ctx, Section::Tasks, &title, body)
}

/// The forms: one chooses the type, the other sends.
pub(super) fn body(
    ctx: &PageContext,
    row: &TaskRow,
    form: &AboutForm,
    options: Option<&AboutOptions>,
    problems: &Problems,
    preview: &Preview,
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
        @if row.value.delete_after_run { (note("", &html! { (t.of("tasks-test-once")) })) }
        form.main method="get" action={ (path) "/test" } {
            section {
                (layout::select(&Problems::none(), "type", &t.of("tasks-test-type"), &types, &form.event_type, &t.of("tasks-test-type-hint"), true))
                button.unscripted { (t.of("tasks-test-choose")) }
            }
        }
        form.main method="post" action={ (path) "/test" } novalidate data-check={ (path) "/test/check" } {
            // What the Enter key presses.
            button.unseen tabindex="-1" aria-hidden="true" { (t.of("tasks-test-send")) }
            input type="hidden" name="csrf" value=(ctx.csrf);
            input type="hidden" name="type" value=(form.event_type);
            section {
                @match options {
                    Some(options) => (fields(t, form, options, problems)),
                    None => (name(t, form, problems)),
                }
            }
            section {
                div.title { h2 { (t.of("tasks-preview")) } div.actions { button.small.unscripted formaction={ (path) "/test/preview" } { (t.of("tasks-preview-refresh")) } } }
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

fn fields(t: &Texts, form: &AboutForm, options: &AboutOptions, problems: &Problems) -> Markup {
    let of = [("type", options.label.as_str().into())];
    let hint = t.with("tasks-test-event-hint", &of);
    html! {
        (layout::select(problems, "event", &t.of("tasks-test-event"), &options.events, &form.event, &hint, false))
        @if options.objects.is_empty() { (name(t, form, problems)) }
        @else {
            (layout::picker(t, problems, "object", &t.of("tasks-test-object"), &options.objects, &form.object, &t.of("tasks-test-object-hint")))
            (name(t, form, problems))
        }
        (sample_fields::inputs(problems, &options.variables, &form.variables))
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
