//! The names of events and of their targets, from the catalog.

use webhook_model::{Event, ObjectId, Target, mark_hidden};

use crate::context::PageContext;
use crate::names::{PlatformNames, known_type};

/// The platform's table of tags.
const TAGS: &str = "tags";

/// Returns the row of the platform that an event applies to, by its table and id.
pub(super) fn applies_to(event: &Event) -> Option<(String, ObjectId)> {
    match event.target {
        Target::Instance(id) => Some((event.event_type.to_string(), id)),
        Target::Tag(id) => Some((TAGS.to_owned(), id.into())),
        Target::Generic => None,
    }
}

/// Returns the name of an event's target: `web-1`, `tag production`, `all`.
pub(super) fn target(ctx: &PageContext, event: &Event, names: &PlatformNames) -> String {
    let t = ctx.texts();
    match event.target {
        Target::Instance(id) => {
            let name = names.get(event.event_type.as_str(), id);
            let number = [("number", id.to_string().into())];
            name.map_or_else(|| t.with("events-target-object", &number), str::to_owned)
        }
        Target::Tag(id) => {
            let name = names.get(TAGS, id.into()).map(str::to_owned);
            let name = name.unwrap_or_else(|| id.to_string());
            t.with("events-target-tag", &[("tag", name.into())])
        }
        Target::Generic => t.of("events-target-all").into_owned(),
    }
}

/// Returns the name of an event: `Virtual Machines: Powered on`.
pub(super) fn name(ctx: &PageContext, event: &Event) -> String {
    let (of, what) = labels(ctx, event);
    let values = [("type", of.into()), ("event", what.into())];
    ctx.texts().with("events-name", &values)
}

/// Returns the labels of type and event: `Virtual Machines`, `Powered on`; with the user's own
/// label, `Night watch (Powered on)`.
pub(super) fn labels(ctx: &PageContext, event: &Event) -> (String, String) {
    let (t, catalog) = (ctx.texts(), ctx.actor.catalog());
    let of = known_type(ctx, event.event_type.as_str());
    let of = of.map_or_else(
        || event.event_type.to_string(),
        |(_, label, _)| label.into_owned(),
    );
    let what = catalog.event_label(&event.event_type, &event.event);
    let what = what.map_or(event.event.as_str().into(), |label| t.rule(label));
    if event.label.as_str().is_empty() {
        return (of, what.into_owned());
    }
    let label = mark_hidden(event.label.as_str());
    let values = [("label", label.into()), ("event", what.into())];
    (of, t.with("events-labelled", &values))
}
