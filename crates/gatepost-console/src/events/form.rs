//! The form of an event: the user chooses its type first, then event, object or tag, as the catalog
//! defines.

use axum::response::Response;
use gatepost_manage::ManageError;
use gatepost_storage::Row;
use gatepost_storage::webhooks::TaskRow;
use maud::{Markup, html};
use serde_json::{Map, Value};
use webhook_model::{
    Event, EventId, EventName, EventType, Invalid, JsonObject, Specificity, Target, TaskId,
};

use super::labels::{applies_to, name, target};
use super::options::{Offered, Subject, offered_types};
use super::parts::{conditions, field_of, parsed, target_of, what};
use crate::context::PageContext;
use crate::crud::{self, Resource, to_list};
use crate::failure::Failure;
use crate::fields::{Sheet, event};
use crate::form::Form;
use crate::layout::{self, Section, changes_link, note, page, page_with, seen};
use crate::names::{PlatformNames, known_type};
use crate::problems::Problems;
use crate::unreadable::{Kind, if_readable, question};

/// The forms of events. The type and the event of an existing one cannot change.
pub(super) struct Events;

/// The fields that an edit sets, and whether the form had a context: a form without that field
/// leaves the stored one unchanged.
pub(super) struct Draft {
    event: Event,
    with_context: bool,
}

impl Resource for Events {
    type Row = (Row<EventId, Event>, TaskRow);
    type Draft = Draft;
    type Saved = ();
    const AREA: &'static str = "events";
    const SECTION: Section = Section::Events;

    fn fresh(_ctx: &PageContext, query: &Form) -> Form {
        Form::default()
            .with("type", query.text("type"))
            .with("target", "instance")
            .with("task", query.text("task"))
            .with_tick("enabled", true)
    }

    async fn load(ctx: &PageContext, id: i64) -> Result<Self::Row, Failure> {
        Ok(ctx.actor.event(EventId(id)).await?)
    }

    fn form((row, _): &Self::Row) -> Form {
        let event = &row.value;
        let form = match event.target {
            Target::Generic => Form::default().with("target", "all"),
            Target::Instance(id) => Form::default()
                .with("target", "instance")
                .with("instance", id.to_string()),
            Target::Tag(id) => Form::default()
                .with("target", "tag")
                .with("tag", id.to_string()),
        };
        let filter = written(event.filters.is_empty(), event.filters.to_map());
        form.with("task", event.task.to_string())
            .with("filter", filter)
            .with("context", written_context(&event.context))
            .with("label", event.label.as_str())
            .with_tick("enabled", event.enabled)
    }

    fn stored_problems(ctx: &PageContext, (row, _): &Self::Row) -> Problems {
        let mut problems = Problems::new(ctx.texts());
        if let Some(problem) = row.value.filters.problem() {
            let rule = [("rule", ctx.texts().rule(problem.rule()).into())];
            problems.add("filter", ctx.texts().with("events-filter-unknown", &rule));
        }
        problems
    }

    async fn page(
        ctx: &PageContext,
        row: Option<&Self::Row>,
        form: &Form,
        problems: &Problems,
    ) -> Result<Markup, Failure> {
        let Some((row, _)) = row else {
            return new_page(ctx, form, problems).await;
        };
        let event = &row.value;
        let known = known_type(ctx, event.event_type.as_str());
        let specificity = known.map_or(Specificity::InstanceOptional, |(.., specificity)| {
            specificity
        });
        let offered =
            Offered::of(ctx, form, &Subject::stored(row.owner, event), specificity).await?;
        let fixed = Some(&event.event);
        let fields = fields(ctx, &event.event_type, fixed, form, problems, &offered);
        let body = crud::form::<Self>(ctx, false, form, problems, ["", "/events"], &fields);
        let changes = changes_link(ctx, "task_events", row.id.0);
        let title = name(ctx, event);
        Ok(page_with(ctx, Section::Events, &title, &changes, &body))
    }

    async fn parse(
        ctx: &PageContext,
        row: Option<&Self::Row>,
        form: &Form,
        problems: &mut Problems,
    ) -> Result<Option<Draft>, Failure> {
        let t = ctx.texts();
        let (event_type, event) = match row {
            Some((row, _)) => (row.value.event_type.clone(), Ok(row.value.event.clone())),
            None => {
                let known = known_type(ctx, form.text("type")).ok_or(Failure::NotFound)?;
                (known.0.clone(), form.word("event").parse::<EventName>())
            }
        };
        let event = problems.take("event", event.map_err(|_| t.of("events-choose-event")));
        let target = target_of(ctx, form, problems);
        let task = match form.word("task").parse() {
            Ok(id) => match ctx.actor.task(TaskId(id)).await {
                Ok(row) => Ok(row.id),
                Err(ManageError::NotFound) => Err(t.of("events-unknown-task")),
                Err(error) => return Err(error.into()),
            },
            Err(_) => Err(t.of("events-choose-task")),
        };
        let task: Option<TaskId> = problems.take("task", task);
        let event = parsed(ctx, (event_type, event), target, task, form, problems);
        Ok(event.map(|event| Draft {
            event,
            with_context: form.given("context").is_some(),
        }))
    }

    async fn save(
        ctx: &PageContext,
        row: Option<&Self::Row>,
        draft: Draft,
    ) -> Result<(), ManageError> {
        let Some((row, _)) = row else {
            return ctx.actor.create_event(draft.event).await.map(|_| ());
        };
        let edited = ctx.actor.edit_event(row.id, move |event| {
            let new = &draft.event;
            (event.target, event.task, event.enabled) = (new.target, new.task, new.enabled);
            event.filters = new.filters.clone();
            if draft.with_context {
                event.context = new.context.clone();
            }
            event.label.clone_from(&new.label);
            Ok(())
        });
        edited.await.map(|_| ())
    }

    async fn saved(ctx: &PageContext, done: &'static str, _: ()) -> Result<Response, Failure> {
        Ok(to_list::<Self>(ctx, done))
    }

    fn field_of(_form: &Form, field: &'static str) -> &'static str {
        field_of(field)
    }

    fn refusal(error: &ManageError) -> Option<(&'static str, &'static str)> {
        match error {
            ManageError::Dangling { .. } => Some(("task", "events-unknown-task")),
            ManageError::NoSuchObject => Some(("target", "events-unknown-target")),
            _ => None,
        }
    }

    async fn question(ctx: &PageContext, id: i64) -> Result<[Markup; 2], Failure> {
        let t = ctx.texts();
        let what = match if_readable(ctx.actor.event(EventId(id)).await)? {
            Some((row, task)) => {
                let (name, task) = (name(ctx, &row.value), seen(task.value.name.as_str()));
                let names = PlatformNames::of(ctx, applies_to(&row.value)).await;
                let parts = [
                    ("name", html! { strong { (name) } }.into()),
                    ("target", target(ctx, &row.value, &names).into()),
                    ("task", html! { strong { (task) } }.into()),
                ];
                html! { p { (t.markup("events-delete-question", &parts)) } }
            }
            None => question(t, Kind::Event, id),
        };
        Ok([what, html! {}])
    }

    async fn remove(ctx: &PageContext, id: i64, _sent: &Form) -> Result<(), ManageError> {
        ctx.actor.delete_event(EventId(id)).await.map(|_| ())
    }
}

/// Renders the page of a new event. The other fields depend on the type, so the type is chosen
/// first.
async fn new_page(ctx: &PageContext, form: &Form, problems: &Problems) -> Result<Markup, Failure> {
    let (t, chosen, task) = (ctx.texts(), form.text("type"), form.word("task"));
    let mut types = vec![(String::new(), t.of("frame-picker-choose").into_owned())];
    types.extend(offered_types(ctx).await?);
    let rest = match known_type(ctx, chosen) {
        Some((of, _, specificity)) => {
            let subject = Subject::new(ctx, of, form).await;
            let offered = Offered::of(ctx, form, &subject, specificity).await?;
            let fields = fields(ctx, of, None, form, problems, &offered);
            let to = ["", "/events"];
            Some(crud::form::<Events>(ctx, true, form, problems, to, &fields))
        }
        None => None,
    };
    let body = html! {
        @if rest.is_none() { p { (t.of("events-intro")) } }
        form.main method="get" action=(ctx.at("/events/new")) {
            section {
                @if !task.is_empty() { input type="hidden" name="task" value=(task); }
                (layout::select(&Problems::none(), "type", &t.of("events-type"), &types, chosen, &t.of("events-type-hint"), true))
                p { a href=(ctx.at("/events/catalog")) { (t.of("events-type-catalog")) } }
            }
            div.submit {
                button.unscripted { (t.of("events-continue")) }
                @if rest.is_none() { a.button href=(ctx.at("/events")) { (t.of("frame-cancel")) } }
            }
        }
        @if let Some(rest) = rest { (rest) }
    };
    Ok(page(ctx, Section::Events, &t.of("events-new"), &body))
}

/// Renders the fields; `fixed` is the event that can no longer be chosen.
fn fields(
    ctx: &PageContext,
    of: &EventType,
    fixed: Option<&EventName>,
    form: &Form,
    problems: &Problems,
    offered: &Offered,
) -> Markup {
    let texts = ctx.texts();
    let t = texts;
    let sheet = Sheet::new(texts, "events", form, problems);
    html! {
        input type="hidden" name="type" value=(of);
        section {
            (what(ctx, &sheet, of, fixed, offered))
            (sheet.picker("task", &offered.tasks))
            @if offered.tasks.rows.is_empty() {
                @let link = html! { a href=(ctx.at("/tasks/new")) { (t.of("events-task-new")) } };
                (note("", &t.markup("events-task-none", &[("link", link.into())])))
            }
            (sheet.field(&event::FILTER, ""))
            (conditions(ctx))
            (sheet.fields(event::MORE))
        }
    }
}

/// Returns the text of the object in its field; empty for an empty object.
fn written(is_empty: bool, object: Map<String, Value>) -> String {
    match is_empty {
        true => String::new(),
        false => format!("{:#}", Value::Object(object)),
    }
}

/// Returns the context on several lines, unless numbers would lose digits by that.
fn written_context(context: &JsonObject) -> String {
    let members = context.as_map();
    let shown = written(members.is_empty(), members.clone());
    match shown.parse() == Ok::<_, Invalid>(context.clone()) || shown.is_empty() {
        true => shown,
        false => context.to_string(),
    }
}
