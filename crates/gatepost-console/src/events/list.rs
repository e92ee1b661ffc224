//! The list of events.

use std::borrow::Cow;

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::Row;
use gatepost_storage::webhooks::RecordHead;
use maud::{Markup, html};
use webhook_model::{Event, EventId};

use super::labels::{applies_to, labels, target};
use super::listing::{EventList, shown, types};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, badge, empty, note, one_button, page_with, seen, select};
use crate::list_view::{Asked, Listing as _};
use crate::platform_names::PlatformNames;
use crate::problems::Problems;
use crate::texts::Texts;
use crate::unreadable::{self, Kind};

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let list = Asked::parse(&ctx, "/events", &asked, &EventList::SHAPE).await?;
    let (shown, names) = shown(&ctx, &list).await?;
    let (t, done) = (ctx.texts(), done(ctx.texts(), asked.text("done")));
    let readable = list.readable(&shown);
    let unreadable = unreadable::section(&ctx, Kind::Event, &asked, readable).await?;
    let body = html! {
        @if let Some(done) = done { (note("good", &html! { (done) })) }
        @if list.is_void(&shown) {
            (empty(&t.of("events-none-title"), &t.of("events-none-text"), &new_button(&ctx)))
        } @else {
            (list.form(&ctx, &type_field(&ctx, &list)).await)
            (list.caption(ctx.texts(), &shown))
            @if !shown.rows.is_empty() { (table(&ctx, &list, &shown.rows, &names).await) }
            (list.pager(ctx.texts(), &shown))
        }
        (unreadable)
    };
    let (title, buttons) = (t.of("events-title"), buttons(&ctx));
    Ok(page_with(&ctx, Section::Events, &title, &buttons, &body).into_response())
}

/// What was done, as the address says.
fn done<'a>(t: &'a Texts, word: &str) -> Option<Cow<'a, str>> {
    Some(match word {
        "created" => t.of("events-created"),
        "saved" => t.of("events-saved"),
        "deleted" => t.of("events-deleted"),
        "triggered" => t.of("events-triggered"),
        "enabled" => t.of("events-enabled"),
        "disabled" => t.of("events-disabled"),
        _ => return None,
    })
}

/// A link to the form of a new event.
fn new_button(ctx: &PageContext) -> Markup {
    html! { a.button.primary href=(ctx.at("/events/new")) { (ctx.texts().of("events-new")) } }
}

/// Narrows the list down to a type of the catalog.
fn type_field(ctx: &PageContext, list: &Asked) -> Markup {
    let (problems, chosen) = (Problems::none(), list.kept("type"));
    let label = ctx.texts().of("events-type");
    select(&problems, "type", &label, &types(ctx), chosen, "", false)
}

/// The buttons beside the title.
fn buttons(ctx: &PageContext) -> Markup {
    html! { a.button href=(ctx.at("/events/catalog")) { (ctx.texts().of("events-types")) } (new_button(ctx)) }
}

/// Whether the event runs its task: not while either is disabled.
fn state(t: &Texts, enabled: bool, task: Option<&RecordHead>) -> Markup {
    match task {
        _ if !enabled => badge("", &t.of("events-state-disabled")),
        Some(task) if !task.enabled => badge("warn", &t.of("events-state-task-disabled")),
        _ => badge("good", &t.of("events-state-enabled")),
    }
}

async fn table(
    ctx: &PageContext,
    list: &Asked,
    rows: &[Row<EventId, Event>],
    names: &EventList,
) -> Markup {
    let asked: Vec<_> = rows
        .iter()
        .filter_map(|row| applies_to(&row.value))
        .collect();
    let platform = PlatformNames::of(ctx, asked).await;
    let t = ctx.texts();
    html! {
        section { div.scroll { table {
            thead { tr {
                (list.heading(&t.of("events-type"), "type")) (list.heading(&t.of("events-event"), "event"))
                th scope="col" { (t.of("events-target")) } (list.heading(&t.of("events-task"), "task"))
                (list.heading(&t.of("events-state"), "state")) th scope="col" { span.unseen { (t.of("events-actions")) } }
            } }
            tbody { @for row in rows {
                @let event = &row.value;
                @let target = target(ctx, event, &platform);
                @let (of, what) = labels(ctx, event);
                @let task = names.tasks.get(&event.task);
                @let name = t.with("events-name-of", &[("type", (&*of).into()), ("event", (&*what).into()), ("target", (&*target).into())]);
                @let named = [("name", (&*name).into())];
                @let at = |what: &str| ctx.at(&format!("/events/{}/{what}", row.id));
                tr {
                    td data-label=(t.of("events-type")) { span { (of) } }
                    td data-label=(t.of("events-event")) { a href=(at("edit")) { (what) } }
                    td data-label=(t.of("events-target")) { span { (target) } }
                    td data-label=(t.of("events-task")) { a href=(ctx.at(&format!("/tasks/{}/edit", event.task))) { (seen(task.and_then(|task| task.name.as_deref()).unwrap_or("–"))) } }
                    td data-label=(t.of("events-state")) { span { (state(t, event.enabled, task)) } }
                    td { div.actions {
                        a.button.small href=(at("trigger")) aria-label=(t.with("events-trigger-of", &named)) { (t.of("events-trigger")) }
                        @if event.enabled { (one_button(ctx, &at("do/disable"), "small", &t.of("events-disable"), Some(&t.with("events-disable-of", &named)))) }
                        @else { (one_button(ctx, &at("do/enable"), "small", &t.of("events-enable"), Some(&t.with("events-enable-of", &named)))) }
                        a.button.small href=(at("delete")) aria-label=(t.with("events-delete-of", &named)) { (t.of("events-delete")) }
                    } }
                }
            } }
        } } }
    }
}
