//! The list of tasks.

use std::collections::BTreeMap;

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::webhooks::{TaskQuery, TaskRow};
use gatepost_storage::{Page, Scope};
use maud::{Markup, html};
use webhook_model::{Action, TaskId, WebhookId};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, badge, empty, more, note, one_button, page_with, seen};
use crate::paging::{newest_rows, one_page};
use crate::time::stamp_or;
use crate::unreadable::{self, Kind};

/// Rows on a page.
const ROWS: usize = 50;
/// One more row is read, to see whether there is another page.
const READ: u32 = 51;

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let after = asked.key("after").map(TaskId);
    let query = TaskQuery {
        scope: Scope::All,
        creator: None,
        webhook: None,
        name: None,
        page: Page {
            after,
            ..newest_rows(READ)
        },
    };
    let (rows, next) = one_page(ctx.actor.tasks(&query).await?, ROWS, |row| row.id);
    let names = ctx
        .actor
        .webhook_names(rows.iter().filter_map(webhook_of))
        .await?;
    let unreadable = unreadable::section(&ctx, Kind::Task, &asked).await?;
    let body = html! {
        (confirmation(asked.text("done"), &ctx))
        @if rows.is_empty() && after.is_none() && next.is_none() {
            (empty("No tasks yet", "A task defines what to send: a message, and the webhook that sends it. Events run it, or you run it manually.", &new_button(&ctx)))
        } @else {
            (table(&ctx, &rows, &names))
            (more(&ctx.at("/tasks"), "", after.is_none(), next.map(|id| id.0)))
        }
        (unreadable)
    };
    Ok(page_with(&ctx, Section::Tasks, "Tasks", &new_button(&ctx), &body).into_response())
}

/// The confirmation of what was done.
fn confirmation(done: &str, ctx: &PageContext) -> Markup {
    let text = match done {
        "created" => {
            let events = ctx.at("/events/new");
            return note(
                "good",
                &html! { "The task was created. To define when it runs, create an event: " a href=(events) { "New event" } "." },
            );
        }
        "saved" => "The task was saved.",
        "deleted" => "The task and its events were deleted.",
        "ran" => {
            let deliveries = ctx.at("/deliveries");
            return note(
                "good",
                &html! { "The task was run. The " a href=(deliveries) { "deliveries" } " show what was sent." },
            );
        }
        "enabled" => "The task is enabled and runs when its events occur.",
        "disabled" => "The task is disabled and does not run.",
        _ => return html! {},
    };
    note("good", &html! { (text) })
}

/// A link to the form of a new task.
fn new_button(ctx: &PageContext) -> Markup {
    html! { a.button.primary href=(ctx.at("/tasks/new")) { "New task" } }
}

fn webhook_of(row: &TaskRow) -> Option<WebhookId> {
    match &row.task.action {
        Action::Send { webhook, .. } => Some(*webhook),
        _ => None,
    }
}

fn table(ctx: &PageContext, rows: &[TaskRow], names: &BTreeMap<WebhookId, String>) -> Markup {
    let now = ctx.now();
    html! {
        section { div.scroll { table {
            thead { tr {
                th scope="col" { "Name" } th scope="col" { "Description" } th scope="col" { "Object" } th scope="col" { "Action" }
                th scope="col" { "Last run" } th scope="col" { "State" } th scope="col" { span.unseen { "Actions" } }
            } }
            tbody { @for row in rows {
                @let task = &row.task;
                @let at = |what: &str| ctx.at(&format!("/tasks/{}/{what}", row.id));
                tr {
                    td data-label="Name" { a href=(at("edit")) { (seen(task.name.as_str())) } }
                    td data-label="Description" { span { (seen(task.description.as_str())) } }
                    td data-label="Object" { @if let Some(webhook) = webhook_of(row) {
                        span { "Webhook " a href=(ctx.at(&format!("/webhooks/{webhook}"))) { (seen(names.get(&webhook).map_or("of another user", String::as_str))) } }
                    } }
                    td data-label="Action" { span { "Send" } }
                    td data-label="Last run" { div { (stamp_or(row.last_run, now, "never")) } }
                    td data-label="State" { span { @if task.enabled { (badge("good", "enabled")) } @else { (badge("", "disabled")) } @if task.delete_after_run { " " (badge("busy", "one-time")) } } }
                    td { div.actions {
                        a.button.small href=(at("test")) { "Test or run" span.unseen { " " (seen(task.name.as_str())) } }
                        @if task.enabled { (one_button(ctx, &at("do/disable"), "small", "Disable", &seen(task.name.as_str()))) }
                        @else { (one_button(ctx, &at("do/enable"), "small", "Enable", &seen(task.name.as_str()))) }
                        a.button.small href=(at("delete")) { "Delete" span.unseen { " " (seen(task.name.as_str())) } }
                    } }
                }
            } }
        } } }
    }
}
