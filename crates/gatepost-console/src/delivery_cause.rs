//! What made a delivery, in words.

use std::borrow::Cow;

use gatepost_storage::webhooks::{Cause, Delivery};
use maud::{Markup, html};

use crate::context::PageContext;
use crate::delivery_names::Names;
use crate::layout::seen;
use crate::texts::Texts;

/// What the engine says of a task that a user runs.
const BY_HAND: (&str, &str) = ("tasks", "execute");

/// Of a row: the event and its object, then the task and the id of the occurrence.
pub(crate) fn short(ctx: &PageContext, delivery: &Delivery, names: &Names) -> Markup {
    let t = ctx.texts();
    html! {
        @match &delivery.cause {
            Some(cause) => {
                (what(ctx, cause))
                @if let Some(object) = object(t, cause, names) { " · " (seen(&object)) }
            }
            None => (unrecorded(t, delivery)),
        }
        div.below.quiet {
            @if delivery.task.is_some() { span { (task(ctx, delivery, names)) } }
            @if let Some(id) = delivery.cause.as_ref().and_then(|cause| cause.occurrence.as_ref()) { span { (id) } }
        }
    }
}

/// Rows of a list of facts.
pub(crate) fn facts(ctx: &PageContext, delivery: &Delivery, names: &Names) -> Markup {
    let t = ctx.texts();
    html! {
        dt { (t.of("deliveries-cause")) } dd {
            @match &delivery.cause {
                Some(cause) => (what(ctx, cause)),
                None => (unrecorded(t, delivery)),
            }
        }
        @if let Some(cause) = &delivery.cause {
            @if let Some(object) = object(t, cause, names) { dt { (t.of("deliveries-object")) } dd { (seen(&object)) } }
            @if let Some(id) = &cause.occurrence { dt { (t.of("deliveries-occurrence-id")) } dd { code { (id) } } }
            @if let Some(trace) = &cause.trace {
                dt { (t.of("deliveries-trace")) } dd { code { (format!("{:032x}", trace.parent.trace_id())) } }
            }
            @if let Some(data) = &cause.data {
                dt { (t.of("deliveries-data")) } dd { code { (seen(data.as_str())) } @if data.is_cut() { " " (t.of("deliveries-data-cut")) } }
            }
            @if let Some(user) = cause.by { dt { (t.of("deliveries-run-by")) } dd { (seen(&names.row("users", user.into()))) } }
        }
        @if delivery.task.is_some() { dt { (t.of("deliveries-task")) } dd { (task(ctx, delivery, names)) } }
    }
}

/// Of a delivery without a recorded cause.
fn unrecorded<'a>(t: &'a Texts, delivery: &Delivery) -> Cow<'a, str> {
    match delivery.task {
        Some(_) => t.of("deliveries-cause-unknown"),
        None => t.of("deliveries-cause-sent"),
    }
}

/// `Virtual machines: powered on`
fn what(ctx: &PageContext, cause: &Cause) -> String {
    let t = ctx.texts();
    let catalog = ctx.actor.catalog();
    let of = catalog
        .types()
        .find(|(name, ..)| **name == cause.event_type);
    let of = of.map_or(cause.event_type.as_str().into(), |(_, label, _)| {
        t.rule(label)
    });
    let event = catalog.event_label(&cause.event_type, &cause.event);
    if event.is_none() && (cause.event_type.as_str(), cause.event.as_str()) == BY_HAND {
        return t.of("deliveries-cause-run").into_owned();
    }
    let event = event.map_or(cause.event.as_str().into(), |label| t.rule(label));
    t.with(
        "deliveries-cause-event",
        &[("type", of.into()), ("event", event.into())],
    )
}

/// `web-1 (#3)`; of an object without a name its number.
fn object(t: &Texts, cause: &Cause, names: &Names) -> Option<String> {
    let key = cause.object?;
    let (name, number) = (names.row(cause.event_type.as_str(), key), key.to_string());
    Some(match name.strip_prefix('#') == Some(number.as_str()) {
        true => name,
        false => t.with(
            "deliveries-cause-object",
            &[("name", name.into()), ("number", number.into())],
        ),
    })
}

fn task(ctx: &PageContext, delivery: &Delivery, names: &Names) -> Markup {
    html! {
        @if let Some(id) = delivery.task {
            @match names.tasks.get(&id) {
                Some(name) => a href=(ctx.at(&format!("/tasks/{id}/edit"))) { (seen(name)) },
                None => (ctx.texts().of("deliveries-cause-deleted-task")),
            }
        }
    }
}
