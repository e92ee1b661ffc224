//! The fields of an event's form: event, then object or tag, as the catalog defines.

use std::borrow::Cow;

use maud::{Markup, html};
use webhook_model::{EventType, Specificity};

use super::form::EventForm;
use crate::context::PageContext;
use crate::layout::{self, InputKind, note};
use crate::problems::Problems;

/// The most characters of a label.
const MAX_LABEL: usize = 128;

/// How the form of a new event differs from that of an existing one, and what it offers.
pub(super) struct FormOptions<'a> {
    pub button: Cow<'a, str>,
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
    let (t, catalog) = (ctx.texts(), ctx.actor.catalog());
    let events: Vec<_> = catalog
        .events(options.of)
        .map(|(name, label)| (name.to_string(), t.rule(label).into_owned()))
        .collect();
    let (all, object, tag) = (
        t.of("events-applies-to-all"),
        t.of("events-applies-to-object"),
        t.of("events-applies-to-tag"),
    );
    let targets = [("all", &*all), ("instance", &*object), ("tag", &*tag)];
    let targets = match options.specificity {
        Specificity::Generic => &[],
        Specificity::InstanceOptional if options.all => &targets[..],
        _ => &targets[1..],
    };
    html! {
        (layout::errors(t, problems))
        form.main method="post" action=(ctx.own()) novalidate {
            input type="hidden" name="csrf" value=(ctx.csrf);
            input type="hidden" name="type" value=(options.of);
            section {
                @if options.fixed { input type="hidden" name="event" value=(form.event); }
                @else {
                    (layout::select(problems, "event", &t.of("events-event"), &events, &form.event, &t.of("events-event-hint"), false))
                    (descriptions(ctx, options.of))
                }
                @if targets.is_empty() { p.quiet { (t.of("events-applies-to-platform")) } }
                @else {
                    (layout::radios(problems, "target", &t.of("events-applies-to"), targets, &form.target))
                    div.when.instance { (layout::picker(t, problems, "instance", &t.of("events-object"), &options.instances, &form.instance, "")) }
                    div.when.tag { (layout::picker(t, problems, "tag", &t.of("events-tag"), &options.tags, &form.tag, "")) }
                }
                (layout::picker(t, problems, "task", &t.of("events-task"), &options.tasks, &form.task, &t.of("events-task-hint")))
                @if options.tasks.is_empty() {
                    @let link = html! { a href=(ctx.at("/tasks/new")) { (t.of("events-task-new")) } };
                    (note("", &t.markup("events-task-none", &[("link", link.into())])))
                }
                (layout::area(problems, "filter", &t.of("events-filter"), &form.filter, &t.of("events-filter-hint"), "code"))
                (conditions(ctx))
                (layout::area(problems, "context", &t.of("events-context"), &form.context, &t.of("events-context-hint"), "code"))
                (layout::input(problems, InputKind::Text { max: MAX_LABEL }, "label", &t.of("events-label"), &form.label, &t.of("events-label-hint")))
                (layout::check("enabled", &t.of("events-enabled-field"), "", form.enabled))
            }
            div.submit {
                button.primary { (options.button) }
                a.button href=(ctx.at("/events")) { (t.of("frame-cancel")) }
            }
        }
    }
}

/// How conditions are written.
fn conditions(ctx: &PageContext) -> Markup {
    let t = ctx.texts();
    let forms = [
        (r#""severity": "critical""#, "events-filter-equal"),
        (r#""disk.free": {"$lt": 10}"#, "events-filter-order"),
        (
            r#""severity": {"$in": ["high", "critical"]}"#,
            "events-filter-in",
        ),
        (r#""severity": {"$ne": "low"}"#, "events-filter-not"),
        (r#""disk": {"$exists": true}"#, "events-filter-exists"),
        (
            r#""$or": [{"disk.free": 0}, {"severity": "critical"}]"#,
            "events-filter-or",
        ),
    ];
    html! {
        details {
            summary { (t.of("events-filter-conditions")) }
            dl { @for (form, means) in forms { dt { code { (form) } } dd { (t.of(means)) } } }
        }
    }
}

/// What the platform says of the events to choose from; nothing where it says nothing.
fn descriptions(ctx: &PageContext, of: &EventType) -> Markup {
    let (t, catalog) = (ctx.texts(), ctx.actor.catalog());
    let described = catalog.events(of).filter_map(|(event, label)| {
        let notes = catalog.notes(of, event)?;
        Some((t.rule(label), t.rule(notes.description())))
    });
    let described: Vec<_> = described.filter(|(_, text)| !text.is_empty()).collect();
    html! {
        @if !described.is_empty() {
            details { summary { (t.of("events-meanings")) } dl { @for (label, text) in described { dt { (label) } dd { (text) } } } }
        }
    }
}
