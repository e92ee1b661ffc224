//! The list of events.

use std::collections::BTreeMap;

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_keys::AccessLevel;
use gatepost_storage::webhooks::EventQuery;
use gatepost_storage::{Page, Row};
use maud::{Markup, html};
use webhook_model::{Event, EventId, Target, TaskId};

use super::new_button;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, badge, empty, more, note, one_button, page_with};
use crate::session::Ctx;

/// Rows of a page.
const ROWS: usize = 50;
/// Rows read at a time for a caller who may see only some of them, and tasks of a caller that are
/// looked at.
const STRIDE: u32 = 500;
const MOST: usize = 20_000;

pub(super) async fn list(ctx: Ctx, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let after = asked.key("after").map(EventId);
    let (mut rows, names) = events(&ctx, after, ROWS + 1).await?;
    let next = rows.get(ROWS).and(rows.get(ROWS - 1)).map(|row| row.id.0);
    rows.truncate(ROWS);
    let said = match asked.text("done") {
        "created" => "The event was made. From now on it runs its task.",
        "saved" => "The event was saved.",
        "deleted" => "The event was deleted.",
        "fired" => "The event was fired by hand. What its task sends is among the deliveries.",
        "enabled" => "The event is enabled.",
        "disabled" => "The event is disabled.",
        _ => "",
    };
    let body = html! {
        @if !said.is_empty() { (note("good", &html! { (said) })) }
        @if rows.is_empty() && after.is_none() {
            (empty("No events yet", "An event says when a task runs: something happens to an object of the platform, to any object that carries a tag, or to the platform as a whole.", &new_button(&ctx)))
        } @else {
            (table(&ctx, &rows, &names).await)
            (more(&ctx.console.at("/events"), "", after.is_none(), next))
        }
    };
    Ok(page_with(&ctx, Section::Events, "Events", &new_button(&ctx), &body).into_response())
}

type Rows = (Vec<Row<EventId, Event>>, BTreeMap<TaskId, String>);

/// The newest events of the caller's tasks, and the names of those.
pub(crate) async fn events(
    ctx: &Ctx,
    after: Option<EventId>,
    limit: usize,
) -> Result<Rows, Failure> {
    let engine = &ctx.console.inner.engine;
    let all = ctx.principal.access == AccessLevel::SystemAdministrator;
    let mut names = BTreeMap::new();
    if !all {
        let tasks = ctx.tasks(None, Page::newest(1), MOST).await?;
        names.extend(
            tasks
                .into_iter()
                .map(|row| (row.id, row.task.name.to_string())),
        );
        if names.is_empty() {
            return Ok((Vec::new(), names));
        }
    }
    let mut query = EventQuery {
        task: None,
        event_type: None,
        page: Page {
            after,
            ..Page::newest(if all {
                u32::try_from(limit).unwrap_or(STRIDE)
            } else {
                STRIDE
            })
        },
    };
    let mut rows = Vec::new();
    for _ in 0..MOST / STRIDE as usize {
        let found = engine.list_events(&query).await?;
        let more = found.len() >= query.page.limit as usize;
        query.page.after = found.last().map(|row| row.id);
        rows.extend(
            found
                .into_iter()
                .filter(|row| all || names.contains_key(&row.value.task)),
        );
        if !more || rows.len() >= limit {
            break;
        }
    }
    rows.truncate(limit);
    for row in rows.iter().filter(|_| all) {
        if !names.contains_key(&row.value.task)
            && let Some(task) = engine.task(row.value.task).await?
        {
            names.insert(task.id, task.task.name.to_string());
        }
    }
    Ok((rows, names))
}

/// What an event is about: `web-1`, `tag production`, `all`.
pub(super) async fn target(ctx: &Ctx, event: &Event) -> String {
    let directory = &ctx.console.inner.directory;
    match event.target {
        Target::Instance(id) => {
            let name = directory
                .name(&ctx.principal, event.event_type.as_str(), id.0)
                .await;
            name.unwrap_or_else(|| format!("number {id}"))
        }
        Target::Tag(id) => {
            let name = directory.name(&ctx.principal, "tags", id.0).await;
            format!("tag {}", name.unwrap_or_else(|| id.to_string()))
        }
        Target::Generic => "all".into(),
    }
}

/// `Virtual Machines`, `Powered on`.
pub(super) fn labels(ctx: &Ctx, event: &Event) -> (String, String) {
    let catalog = ctx.console.inner.engine.catalog();
    let of = catalog
        .types()
        .find(|(name, ..)| **name == event.event_type);
    let of = of.map_or_else(
        || event.event_type.to_string(),
        |(_, label, _)| label.into(),
    );
    let what = catalog.event_label(&event.event_type, &event.event);
    (of, what.unwrap_or(event.event.as_str()).to_owned())
}

async fn table(
    ctx: &Ctx,
    rows: &[Row<EventId, Event>],
    names: &BTreeMap<TaskId, String>,
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
                @let name = format!("{of} {what} {target}");
                @let at = |what: &str| ctx.console.at(&format!("/events/{}/{what}", row.id));
                tr {
                    td data-label="Type" { span { (of) } }
                    td data-label="Event" { a href=(at("edit")) { (what) } }
                    td data-label="Object or tag" { span { (target) } }
                    td data-label="Task" { a href=(ctx.console.at(&format!("/tasks/{}/edit", event.task))) { (names.get(&event.task).map_or("–", String::as_str)) } }
                    td data-label="State" { span { @if event.enabled { (badge("good", "enabled")) } @else { (badge("", "disabled")) } } }
                    td { div.actions {
                        (one_button(ctx, &at("do/fire"), "small", "Fire", &name))
                        @if event.enabled { (one_button(ctx, &at("do/disable"), "small", "Disable", &name)) }
                        @else { (one_button(ctx, &at("do/enable"), "small", "Enable", &name)) }
                        a.button.small href=(at("delete")) { "Delete" span.unseen { " " (name) } }
                    } }
                }
            } }
        } } }
    }
}
