//! The list of events.

use std::collections::BTreeMap;

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::webhooks::{EventQuery, NamedTask};
use gatepost_storage::{Page, Row, Scope};
use maud::{Markup, html};
use webhook_model::{Event, EventId, TaskId};

use super::labels::{labels, target};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, badge, empty, more, note, one_button, page_with, seen};
use crate::paging::{newest_rows, one_page};
use crate::unreadable::{self, Kind};

/// Rows on a page.
const ROWS: usize = 50;
/// One more row is read, to see whether there is another page.
const READ: u32 = 51;

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let after = asked.key("after").map(EventId);
    let query = EventQuery {
        scope: Scope::All,
        task: None,
        event_type: None,
        page: Page {
            after,
            ..newest_rows(READ)
        },
    };
    let (rows, next) = one_page(ctx.actor.events(&query).await?, ROWS, |row| row.id);
    let tasks = rows.iter().map(|row| row.value.task);
    let names = ctx.actor.named_tasks(tasks).await?;
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
        @if rows.is_empty() && after.is_none() && next.is_none() {
            (empty("No events yet", "An event defines when a task runs: when something happens to an object of the platform, to any object with a tag, or to the platform as a whole.", &new_button(&ctx)))
        } @else {
            (table(&ctx, &rows, &names).await)
            (more(&ctx.at("/events"), "", after.is_none(), next.map(|id| id.0)))
        }
        (unreadable)
    };
    Ok(page_with(&ctx, Section::Events, "Events", &buttons(&ctx), &body).into_response())
}

/// A link to the form of a new event.
fn new_button(ctx: &PageContext) -> Markup {
    html! { a.button.primary href=(ctx.at("/events/new")) { "New event" } }
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
    rows: &[Row<EventId, Event>],
    names: &BTreeMap<TaskId, NamedTask>,
) -> Markup {
    let mut targets = Vec::with_capacity(rows.len());
    for row in rows {
        targets.push(target(ctx, &row.value).await);
    }
    html! {
        section { div.scroll { table {
            thead { tr {
                th scope="col" { "Type" } th scope="col" { "Event" } th scope="col" { "Object or tag" }
                th scope="col" { "Task" } th scope="col" { "State" } th scope="col" { span.unseen { "Actions" } }
            } }
            tbody { @for (row, target) in rows.iter().zip(&targets) {
                @let event = &row.value;
                @let (of, what) = labels(ctx, event);
                @let task = names.get(&event.task);
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
