//! The parts that the form of an event shares with the form of a subscription.

use maud::{Markup, html};
use webhook_model::{
    Event, EventName, EventType, Filter, JsonObject, OwnerId, Specificity, TagId, Target, TaskId,
};

use super::labels::name;
use super::options::{Offered, Subject, without_object};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::fields::{Sheet, event};
use crate::form::Form;
use crate::names::{events, known_type};
use crate::problems::{Problems, rule};

/// The field of the ticked events.
const TICKED: &str = "when";

/// Returns the field of the form for a field of the record.
pub(super) fn field_of(field: &'static str) -> &'static str {
    match field {
        "owner" => "target",
        "table" => "event",
        "table_event_filters" => "filter",
        "event_name" => "label",
        other => other,
    }
}

/// Parses the rest of an event, and checks it against the catalog.
pub(super) fn parsed(
    ctx: &PageContext,
    (event_type, event): (EventType, Option<EventName>),
    target: Option<Target>,
    task: Option<TaskId>,
    form: &Form,
    problems: &mut Problems,
) -> Option<Event> {
    let filters = match form.word("filter") {
        "" => Ok(Filter::default()),
        text => text.parse(),
    };
    let filters = problems.take("filter", filters.map_err(rule));
    let context = match form.word("context") {
        "" => Ok(JsonObject::default()),
        text => text.parse(),
    };
    let context = problems.take("context", context.map_err(rule));
    let label = problems.take("label", form.word("label").parse().map_err(rule));
    let event = Event {
        event_type,
        event: event?,
        target: target?,
        task: task?,
        enabled: form.ticked("enabled"),
        filters: filters?,
        context: context?,
        label: label?,
    };
    if let Err(error) = ctx.actor.catalog().check(&event) {
        let invalid = error.as_invalid();
        let field = field_of(invalid.field().as_str());
        problems.add(field, invalid.rule());
        return None;
    }
    Some(event)
}

/// Parses an event of a task that is stored together with it; its type is in the form.
pub(crate) fn of_new_task(
    ctx: &PageContext,
    form: &Form,
    problems: &mut Problems,
) -> Option<Event> {
    let t = ctx.texts();
    let known = known_type(ctx, form.text("type")).map(|(of, ..)| of.clone());
    let of = known.ok_or_else(|| t.of("webhooks-subscribe-choose-type"));
    let of = problems.take("type", of)?;
    let event = form.word("event").parse::<EventName>();
    let event = problems.take("event", event.map_err(|_| t.of("events-choose-event")));
    let target = target_of(ctx, form, problems);
    parsed(ctx, (of, event), target, Some(TaskId(0)), form, problems)
}

/// Renders the fields of the event of a subscription.
pub(crate) async fn when_fields(
    ctx: &PageContext,
    owner: OwnerId,
    form: &Form,
    problems: &Problems,
) -> Result<Markup, Failure> {
    let Some((of, _, specificity)) = known_type(ctx, form.text("type")) else {
        return Ok(html! {});
    };
    let subject = Subject::owned(ctx, owner, of, form);
    let offered = Offered::of(ctx, form, &subject, specificity).await?;
    let sheet = Sheet::new(ctx.texts(), "events", form, problems);
    Ok(html! {
        (what(ctx, &sheet, of, None, &offered))
        (sheet.field(&event::FILTER, ""))
        (conditions(ctx))
    })
}

pub(super) fn target_of(ctx: &PageContext, form: &Form, problems: &mut Problems) -> Option<Target> {
    let t = ctx.texts();
    match form.word("target") {
        "instance" => {
            let id = Form::object(form.text("instance"));
            let id = id.ok_or_else(|| t.of("events-choose-object"));
            problems.take("instance", id).map(Target::Instance)
        }
        "tag" => {
            let number = form.key("tag").ok_or_else(|| t.of("events-choose-tag"));
            let number = problems.take("tag", number);
            number.map(|number| Target::Tag(TagId(number)))
        }
        _ => Some(Target::Generic),
    }
}

/// Renders the fields of the event and of its target.
pub(super) fn what(
    ctx: &PageContext,
    sheet: &Sheet<'_>,
    of: &EventType,
    fixed: Option<&EventName>,
    offered: &Offered,
) -> Markup {
    html! {
        @match fixed {
            Some(event) => input type="hidden" name="event" value=(event);,
            None => {
                (sheet.select("event", &events(ctx, of), false))
                (descriptions(ctx, of))
            }
        }
        @if offered.targets.is_empty() { p.quiet { (sheet.texts.of("events-applies-to-platform")) } }
        @else {
            (sheet.choice("target", offered.targets))
            div.when.instance { (sheet.picker("instance", &offered.instances)) }
            div.when.tag { (sheet.picker("tag", &offered.tags)) }
        }
    }
}

/// Renders the syntax of conditions.
pub(super) fn conditions(ctx: &PageContext) -> Markup {
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

/// Renders the platform's descriptions of the events to choose from; nothing if there are none.
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

/// Renders the checkboxes for events of a new webhook: those without an object that its owner may
/// receive.
pub(crate) async fn ticks(ctx: &PageContext, form: &Form) -> Result<Markup, Failure> {
    let (t, catalog) = (ctx.texts(), ctx.actor.catalog());
    let types = catalog.types();
    let types = types.filter(|(_, _, is)| *is != Specificity::InstanceOrTag);
    let events = types.flat_map(|(of, ..)| {
        let names = catalog.events(of);
        names.map(|(event, _)| without_object(of.clone(), event.clone()))
    });
    let offered = ctx.actor.watchable(ctx.principal().owner, events.collect());
    let offered = offered.await?;
    let is_ticked = |value: &str| form.all(TICKED).any(|ticked| ticked == value);
    Ok(html! {
        @if !offered.is_empty() {
            section {
                fieldset {
                    legend { (t.of("webhooks-form-when")) }
                    @for event in &offered {
                        @let value = format!("{}/{}", event.event_type, event.event);
                        label.check {
                            input type="checkbox" name=(TICKED) value=(value) checked[is_ticked(&value)];
                            span { (name(ctx, event)) }
                        }
                    }
                    p.hint { (t.of("webhooks-form-when-hint")) }
                }
            }
        }
    })
}

/// Returns the ticked events, without those that are not in the catalog.
pub(crate) fn ticked(ctx: &PageContext, form: &Form) -> Vec<Event> {
    let catalog = ctx.actor.catalog();
    let events = form.all(TICKED).filter_map(|ticked| {
        let (of, event) = ticked.split_once('/')?;
        let (of, event) = (of.parse().ok()?, event.parse().ok()?);
        let event = without_object(of, event);
        catalog.check(&event).is_ok().then_some(event)
    });
    events.collect()
}
