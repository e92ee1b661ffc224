//! The page that asks before an event is triggered: what it runs, what it brings, and the message.

use gatepost_storage::Row;
use gatepost_storage::webhooks::TaskRow;
use maud::{Markup, html};
use webhook_model::{Data, Event, EventId, SampleVariable};

use super::labels::{applies_to, name, target};
use crate::context::PageContext;
use crate::layout::{self, Section, note, page, seen};
use crate::message_preview::Preview;
use crate::platform_names::PlatformNames;
use crate::problems::Problems;
use crate::sample_fields::{self, Values};

/// An event that is to be triggered, its task, and what it brings.
pub(super) struct Trigger {
    pub row: Row<EventId, Event>,
    pub task: TaskRow,
    /// The variables that the catalogue says it brings.
    pub variables: Vec<SampleVariable>,
    pub values: Values,
    /// The sample of its data.
    pub data: Option<Data>,
}

/// The page.
pub(super) async fn page_of(
    ctx: &PageContext,
    trigger: &Trigger,
    problems: &Problems,
    preview: &Preview,
) -> Markup {
    let (t, task) = (ctx.texts(), &trigger.task.value);
    let path = ctx.at(&format!("/events/{}/trigger", trigger.row.id));
    let body = html! {
        (layout::errors_of(t, problems, &t.of("events-trigger-refused")))
        @if !task.enabled { (note("warn", &html! { (t.of("events-trigger-disabled")) })) }
        @else if task.delete_after_run { (note("", &html! { (t.of("events-trigger-once")) })) }
        form.main method="post" action=(path) novalidate data-check={ (path) "/check" } {
            // What the Enter key presses.
            @if task.enabled { button.unseen tabindex="-1" aria-hidden="true" { (t.of("events-trigger-button")) } }
            input type="hidden" name="csrf" value=(ctx.csrf);
            section {
                (question(ctx, trigger).await)
                (sample_fields::inputs(problems, &trigger.variables, &trigger.values))
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

/// What happens, and with which values.
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
