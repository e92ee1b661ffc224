//! The list of tasks.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::webhooks::TaskRow;
use maud::{Markup, html};
use webhook_model::{Task, WebhookId};

use super::listing::{TaskList, shown, webhook_of};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, badge, empty, note, one_button, page_with, seen};
use crate::list_view::{Asked, Listing as _};
use crate::texts::Texts;
use crate::time::stamp_or;
use crate::unreadable::{self, Kind};

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let list = Asked::parse(&ctx, "/tasks", &asked, &TaskList::SHAPE).await?;
    let (shown, names) = shown(&ctx, &list).await?;
    let readable = list.readable(&shown);
    let unreadable = unreadable::section(&ctx, Kind::Task, &asked, readable).await?;
    let t = ctx.texts();
    let body = html! {
        (confirmation(asked.text("done"), &ctx))
        @if list.is_void(&shown) {
            (empty(&t.of("tasks-none-title"), &t.of("tasks-none-text"), &new_button(&ctx)))
        } @else {
            (list.form(&ctx, &html! {}).await)
            (list.caption(ctx.texts(), &shown))
            @if !shown.rows.is_empty() { (table(&ctx, &list, &shown.rows, &names)) }
            (list.pager(ctx.texts(), &shown))
        }
        (unreadable)
    };
    let (title, button) = (t.of("tasks-title"), new_button(&ctx));
    Ok(page_with(&ctx, Section::Tasks, &title, &button, &body).into_response())
}

/// The confirmation of what was done.
fn confirmation(done: &str, ctx: &PageContext) -> Markup {
    let t = ctx.texts();
    let with_link = |name, path, link| {
        let link = html! { a href=(ctx.at(path)) { (t.of(link)) } };
        t.markup(name, &[("link", link.into())])
    };
    let text = match done {
        "created" => with_link("tasks-created", "/events/new", "tasks-created-event"),
        "saved" => html! { (t.of("tasks-saved")) },
        "deleted" => html! { (t.of("tasks-deleted")) },
        "ran" => with_link("tasks-ran", "/deliveries", "tasks-ran-deliveries"),
        "enabled" => html! { (t.of("tasks-enabled")) },
        "disabled" => html! { (t.of("tasks-disabled")) },
        "cancelled" => html! { (t.of("tasks-cancelled")) },
        "nothing" => html! { (t.of("tasks-none-waited")) },
        _ => return html! {},
    };
    note("good", &text)
}

/// A link to the form of a new task.
fn new_button(ctx: &PageContext) -> Markup {
    html! { a.button.primary href=(ctx.at("/tasks/new")) { (ctx.texts().of("tasks-new")) } }
}

fn table(ctx: &PageContext, list: &Asked, rows: &[TaskRow], names: &TaskList) -> Markup {
    let (t, now) = (ctx.texts(), ctx.now());
    html! {
        section { div.scroll { table {
            thead { tr {
                (list.heading(&t.of("tasks-name"), "name")) th scope="col" { (t.of("tasks-description")) }
                (list.heading(&t.of("tasks-object"), "webhook")) th scope="col" { (t.of("tasks-action")) }
                (list.heading(&t.of("tasks-last-run"), "run")) (list.heading(&t.of("tasks-state"), "state"))
                th scope="col" { span.unseen { (t.of("tasks-actions")) } }
            } }
            tbody { @for row in rows {
                @let task = &row.value;
                @let name = seen(task.name.as_str());
                @let named = [("name", (&*name).into())];
                @let at = |what: &str| ctx.at(&format!("/tasks/{}/{what}", row.id));
                tr {
                    td data-label=(t.of("tasks-name")) { a href=(at("edit")) { (name) } }
                    td data-label=(t.of("tasks-description")) { span { (seen(task.description.as_str())) } }
                    td data-label=(t.of("tasks-object")) { @if let Some(webhook) = webhook_of(row) {
                        span { (webhook_link(ctx, webhook, names)) }
                    } }
                    td data-label=(t.of("tasks-action")) { span { (t.of("tasks-send")) } }
                    td data-label=(t.of("tasks-last-run")) { div { (stamp_or(t, names.runs.get(&row.id).copied(), now, &t.of("tasks-last-run-never"))) } }
                    td data-label=(t.of("tasks-state")) { span { (state(t, task)) } }
                    td { div.actions {
                        a.button.small href=(at("test")) aria-label=(t.with("tasks-test-or-run-of", &named)) { (t.of("tasks-test-or-run")) }
                        @if task.enabled { (one_button(ctx, &at("do/disable"), "small", &t.of("tasks-disable"), Some(&t.with("tasks-disable-of", &named)))) }
                        @else { (one_button(ctx, &at("do/enable"), "small", &t.of("tasks-enable"), Some(&t.with("tasks-enable-of", &named)))) }
                        a.button.small href=(at("delete")) aria-label=(t.with("tasks-delete-of", &named)) { (t.of("tasks-delete")) }
                    } }
                }
            } }
        } } }
    }
}

/// The webhook that a task sends: its name, if the caller may see it.
fn webhook_link(ctx: &PageContext, webhook: WebhookId, names: &TaskList) -> Markup {
    let (t, path) = (ctx.texts(), ctx.at(&format!("/webhooks/{webhook}")));
    match names.names.get(&webhook) {
        Some(name) => {
            let link = html! { a href=(path) { (seen(name)) } };
            t.markup("tasks-webhook", &[("webhook", link.into())])
        }
        None => html! { a href=(path) { (t.of("tasks-webhook-other")) } },
    }
}

/// Whether a task runs, and whether only once.
fn state(t: &Texts, task: &Task) -> Markup {
    html! {
        @if task.enabled { (badge("good", &t.of("tasks-state-enabled"))) }
        @else { (badge("", &t.of("tasks-state-disabled"))) }
        @if task.delete_after_run { " " (badge("busy", &t.of("tasks-state-once"))) }
    }
}
