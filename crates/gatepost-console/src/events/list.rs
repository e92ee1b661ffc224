//! The list of events.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::Row;
use gatepost_storage::webhooks::NamedTask;
use maud::{Markup, html};
use webhook_model::{Event, EventId};

use super::labels::{labels, target};
use super::listing::{EventList, shown, types};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, badge, empty, note, one_button, page_with, seen, select};
use crate::list_view::{Asked, Listing as _};
use crate::problems::Problems;
use crate::unreadable::{self, Kind};

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let list = Asked::parse(&ctx, "/events", &asked, &EventList::SHAPE).await?;
    let (shown, names) = shown(&ctx, &list).await?;
    let done = match asked.text("done") {
        "created" => "The event was created and now runs its task.",
        "saved" => "The event was saved.",
        "deleted" => "The event was deleted.",
        "triggered" => {
            "The event was triggered and ran its task. The deliveries show what was sent."
        }
        "enabled" => "The event is enabled.",
        "disabled" => "The event is disabled.",
        _ => "",
    };
    let unreadable = unreadable::section(&ctx, Kind::Event, &asked).await?;
    let body = html! {
        @if !done.is_empty() { (note("good", &html! { (done) })) }
        @if list.is_void(&shown) {
            (empty("No events yet", "An event defines when a task runs: when something happens to an object of the platform, to any object with a tag, or to the platform as a whole.", &new_button(&ctx)))
        } @else {
            (list.form(&ctx, &type_field(&ctx, &list)).await)
            (list.caption(ctx.texts(), &shown))
            @if !shown.rows.is_empty() { (table(&ctx, &list, &shown.rows, &names).await) }
            (list.pager(ctx.texts(), &shown))
        }
        (unreadable)
    };
    Ok(page_with(&ctx, Section::Events, "Events", &buttons(&ctx), &body).into_response())
}

/// A link to the form of a new event.
fn new_button(ctx: &PageContext) -> Markup {
    html! { a.button.primary href=(ctx.at("/events/new")) { "New event" } }
}

/// Narrows the list down to a type of the catalog.
fn type_field(ctx: &PageContext, list: &Asked) -> Markup {
    let (problems, chosen) = (Problems::default(), list.kept("type"));
    select(&problems, "type", "Type", &types(ctx), chosen, "", false)
}

/// The buttons beside the title.
fn buttons(ctx: &PageContext) -> Markup {
    html! { a.button href=(ctx.at("/events/catalog")) { "Event types" } (new_button(ctx)) }
}

/// Whether the event runs its task: not while either is disabled.
fn state(enabled: bool, task: Option<&NamedTask>) -> Markup {
    match task {
        _ if !enabled => badge("", "disabled"),
        Some(task) if !task.enabled => badge("warn", "task disabled"),
        _ => badge("good", "enabled"),
    }
}

async fn table(
    ctx: &PageContext,
    list: &Asked,
    rows: &[Row<EventId, Event>],
    names: &EventList,
) -> Markup {
    let mut targets = Vec::with_capacity(rows.len());
    for row in rows {
        targets.push(target(ctx, &row.value).await);
    }
    html! {
        section { div.scroll { table {
            thead { tr {
                (list.heading("Type", "type")) (list.heading("Event", "event")) th scope="col" { "Object or tag" }
                (list.heading("Task", "task")) (list.heading("State", "state")) th scope="col" { span.unseen { "Actions" } }
            } }
            tbody { @for (row, target) in rows.iter().zip(&targets) {
                @let event = &row.value;
                @let (of, what) = labels(ctx, event);
                @let task = names.tasks.get(&event.task);
                @let name = format!("{of} {what} {target}");
                @let at = |what: &str| ctx.at(&format!("/events/{}/{what}", row.id));
                tr {
                    td data-label="Type" { span { (of) } }
                    td data-label="Event" { a href=(at("edit")) { (what) } }
                    td data-label="Object or tag" { span { (target) } }
                    td data-label="Task" { a href=(ctx.at(&format!("/tasks/{}/edit", event.task))) { (seen(task.map_or("–", |task| task.name.as_str()))) } }
                    td data-label="State" { span { (state(event.enabled, task)) } }
                    td { div.actions {
                        (one_button(ctx, &at("do/trigger"), "small", "Trigger", &name))
                        @if event.enabled { (one_button(ctx, &at("do/disable"), "small", "Disable", &name)) }
                        @else { (one_button(ctx, &at("do/enable"), "small", "Enable", &name)) }
                        a.button.small href=(at("delete")) { "Delete" span.unseen { " " (name) } }
                    } }
                }
            } }
        } } }
    }
}
