//! What made a delivery, in words.

use gatepost_storage::webhooks::{Cause, Delivery};
use maud::{Markup, html};

use crate::context::PageContext;
use crate::delivery_list::Names;
use crate::layout::seen;

/// What the engine says of a task that a user runs.
const BY_HAND: (&str, &str) = ("tasks", "execute");

/// Of a row: the event and its object, then the task and the id of the occurrence.
pub(crate) fn short(ctx: &PageContext, delivery: &Delivery, names: &Names) -> Markup {
    html! {
        @match &delivery.cause {
            Some(cause) => {
                (what(ctx, cause))
                @if let Some(object) = object(cause, names) { " · " (seen(&object)) }
            }
            None if delivery.task.is_some() => "Not recorded",
            None => "Sent manually",
        }
        div.below.quiet {
            @if delivery.task.is_some() { span { (task(ctx, delivery, names)) } }
            @if let Some(id) = delivery.cause.as_ref().and_then(|cause| cause.occurrence.as_ref()) { span { (id) } }
        }
    }
}

/// Rows of a list of facts.
pub(crate) fn facts(ctx: &PageContext, delivery: &Delivery, names: &Names) -> Markup {
    html! {
        dt { "Cause" } dd {
            @match &delivery.cause {
                Some(cause) => (what(ctx, cause)),
                None if delivery.task.is_some() => "Not recorded",
                None => "Sent manually",
            }
        }
        @if let Some(cause) = &delivery.cause {
            @if let Some(object) = object(cause, names) { dt { "Object" } dd { (seen(&object)) } }
            @if let Some(id) = &cause.occurrence { dt { "Occurrence ID" } dd { code { (id) } } }
            @if let Some(user) = cause.by { dt { "Run by" } dd { (seen(&names.row("users", user.0))) } }
        }
        @if delivery.task.is_some() { dt { "Task" } dd { (task(ctx, delivery, names)) } }
    }
}

/// `Virtual machines: powered on`
fn what(ctx: &PageContext, cause: &Cause) -> String {
    let catalog = ctx.actor.catalog();
    let of = catalog
        .types()
        .find(|(name, ..)| **name == cause.event_type);
    let of = of.map_or(cause.event_type.as_str(), |(_, label, _)| label);
    let event = catalog.event_label(&cause.event_type, &cause.event);
    if event.is_none() && (cause.event_type.as_str(), cause.event.as_str()) == BY_HAND {
        return "Run manually".to_owned();
    }
    format!("{of}: {}", event.unwrap_or(cause.event.as_str()))
}

/// `web-1 (#3)`; of an object without a name its number.
fn object(cause: &Cause, names: &Names) -> Option<String> {
    let key = cause.object?.0;
    let (name, number) = (names.row(cause.event_type.as_str(), key), format!("#{key}"));
    Some(match name == number {
        true => number,
        false => format!("{name} ({number})"),
    })
}

fn task(ctx: &PageContext, delivery: &Delivery, names: &Names) -> Markup {
    html! {
        @if let Some(id) = delivery.task {
            @match names.tasks.get(&id) {
                Some(name) => a href=(ctx.at(&format!("/tasks/{id}/edit"))) { (seen(name)) },
                None => "A deleted task",
            }
        }
    }
}
