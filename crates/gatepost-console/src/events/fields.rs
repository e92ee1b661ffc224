//! The fields of an event's form: event, then object or tag, as the catalog defines.

use maud::{Markup, html};
use webhook_model::{EventType, Specificity};

use super::form::EventForm;
use crate::context::PageContext;
use crate::layout::{self, note};
use crate::problems::Problems;

/// How the form of a new event differs from that of an existing one, and what it offers.
pub(super) struct FormOptions<'a> {
    pub button: &'a str,
    pub of: &'a EventType,
    pub specificity: Specificity,
    /// The event can no longer be chosen.
    pub fixed: bool,
    /// All objects may be watched at once.
    pub all: bool,
    pub instances: Vec<(String, String)>,
    pub tags: Vec<(String, String)>,
    pub tasks: Vec<(String, String)>,
}

pub(super) fn fields(
    ctx: &PageContext,
    form: &EventForm,
    problems: &Problems,
    options: &FormOptions<'_>,
) -> Markup {
    let catalog = ctx.actor.catalog();
    let events: Vec<_> = catalog
        .events(options.of)
        .map(|(name, label)| (name.to_string(), label.to_owned()))
        .collect();
    let targets: &[(&str, &str)] = match options.specificity {
        Specificity::Generic => &[],
        Specificity::InstanceOptional if options.all => &[
            ("all", "All objects"),
            ("instance", "One object"),
            ("tag", "All objects with a tag"),
        ],
        _ => &[
            ("instance", "One object"),
            ("tag", "All objects with a tag"),
        ],
    };
    html! {
        (layout::errors(ctx.texts(), problems))
        form.main method="post" action=(ctx.own()) novalidate {
            input type="hidden" name="csrf" value=(ctx.csrf);
            input type="hidden" name="type" value=(options.of);
            section {
                @if options.fixed { input type="hidden" name="event" value=(form.event); }
                @else {
                    (layout::select(problems, "event", "Event", &events, &form.event, "What triggers the task.", false))
                    (descriptions(ctx, options.of))
                }
                @if targets.is_empty() { p.quiet { "Events of this type apply to the platform as a whole, not to an object or a tag." } }
                @else {
                    (layout::radios(problems, "target", "Applies to", targets, &form.target))
                    div.when.instance { (layout::picker(ctx.texts(), problems, "instance", "Object", &options.instances, &form.instance, "")) }
                    div.when.tag { (layout::picker(ctx.texts(), problems, "tag", "Tag", &options.tags, &form.tag, "")) }
                }
                (layout::picker(ctx.texts(), problems, "task", "Task", &options.tasks, &form.task, "The task that the event runs."))
                @if options.tasks.is_empty() { (note("", &html! { "There is no task to choose from. An event needs one: " a href=(ctx.at("/tasks/new")) { "New task" } "." })) }
                (layout::check("enabled", "Enabled", "", form.enabled))
            }
            div.submit {
                button.primary { (options.button) }
                a.button href=(ctx.at("/events")) { "Cancel" }
            }
        }
    }
}

/// What the platform says of the events to choose from; nothing where it says nothing.
fn descriptions(ctx: &PageContext, of: &EventType) -> Markup {
    let catalog = ctx.actor.catalog();
    let described = catalog.events(of).filter_map(|(event, label)| {
        let notes = catalog.notes(of, event)?;
        Some((label, notes.description()))
    });
    let described: Vec<_> = described.filter(|(_, text)| !text.is_empty()).collect();
    html! {
        @if !described.is_empty() {
            details { summary { "What these events mean" } dl { @for (label, text) in described { dt { (label) } dd { (text) } } } }
        }
    }
}
