//! The list of tasks.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::webhooks::TaskRow;
use maud::{Markup, html};

use super::listing::{TaskList, shown, webhook_of};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, badge, empty, note, one_button, page_with, seen};
use crate::list_view::{Asked, Listing as _};
use crate::time::stamp_or;
use crate::unreadable::{self, Kind};

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let list = Asked::parse(&ctx, "/tasks", &asked, &TaskList::SHAPE).await?;
    let (shown, names) = shown(&ctx, &list).await?;
    let unreadable = unreadable::section(&ctx, Kind::Task, &asked).await?;
    let body = html! {
        (confirmation(asked.text("done"), &ctx))
        @if list.is_void(&shown) {
            (empty("No tasks yet", "A task defines what to send: a message, and the webhook that sends it. Events run it, or you run it manually.", &new_button(&ctx)))
        } @else {
            (list.form(&ctx, &html! {}).await)
            (list.caption(ctx.texts(), &shown))
            @if !shown.rows.is_empty() { (table(&ctx, &list, &shown.rows, &names)) }
            (list.pager(ctx.texts(), &shown))
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

fn table(ctx: &PageContext, list: &Asked, rows: &[TaskRow], names: &TaskList) -> Markup {
    let now = ctx.now();
    html! {
        section { div.scroll { table {
            thead { tr {
                (list.heading("Name", "name")) th scope="col" { "Description" } (list.heading("Object", "webhook")) th scope="col" { "Action" }
                (list.heading("Last run", "run")) (list.heading("State", "state")) th scope="col" { span.unseen { "Actions" } }
            } }
            tbody { @for row in rows {
                @let task = &row.task;
                @let at = |what: &str| ctx.at(&format!("/tasks/{}/{what}", row.id));
                tr {
                    td data-label="Name" { a href=(at("edit")) { (seen(task.name.as_str())) } }
                    td data-label="Description" { span { (seen(task.description.as_str())) } }
                    td data-label="Object" { @if let Some(webhook) = webhook_of(row) {
                        span { "Webhook " a href=(ctx.at(&format!("/webhooks/{webhook}"))) { (seen(names.names.get(&webhook).map_or("of another user", String::as_str))) } }
                    } }
                    td data-label="Action" { span { "Send" } }
                    td data-label="Last run" { div { (stamp_or(ctx.texts(), row.last_run, now, "never")) } }
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
