//! The list of changes.

use std::borrow::Cow;

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_manage::{FieldChange, LoggedChange};
use maud::{Markup, html};
use webhook_model::OwnerId;

use super::listing::{ACTOR, ChangeList, shown};
use super::words::{kind, operation, path};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, beginning, empty, note, page, seen};
use crate::list_view::{Asked, Listing as _};
use crate::platform_names::PlatformNames;
use crate::texts::Texts;
use crate::time::stamp;

/// The platform's table of users.
const USERS: &str = "users";
/// Fields of a change that are shown; the API has them all.
const FIELDS: usize = 5;
/// Bytes of a value that are shown.
const VALUE: usize = 60;

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    if !ctx.actor.has_audit_log() {
        return Err(Failure::NotFound);
    }
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let list = Asked::parse(&ctx, "/changes", &asked, &ChangeList::SHAPE).await?;
    let (shown, t) = (shown(&ctx, &list).await?, ctx.texts());
    let lost = ctx.actor.audit_lost().filter(|lost| *lost > 0);
    let body = html! {
        @if let Some(lost) = lost { (note("warn", &html! { (t.with("changes-lost", &[("count", lost.into())])) })) }
        @if list.is_void(&shown) {
            (empty(&t.of("changes-none-title"), &t.of("changes-none-text"), &html! {}))
        } @else {
            (list.form(&ctx, &html! {}).await)
            (list.caption(t, &shown))
            @if !shown.rows.is_empty() { (table(&ctx, &shown.rows).await) }
            (list.pager(t, &shown))
        }
    };
    Ok(page(&ctx, Section::Changes, &t.of("changes-title"), &body).into_response())
}

async fn table(ctx: &PageContext, rows: &[LoggedChange]) -> Markup {
    let users = rows.iter().flat_map(|row| [row.actor, row.owner]);
    let users = users.map(|user| (USERS.to_owned(), user.into()));
    let names = PlatformNames::of(ctx, users).await;
    let (t, now) = (ctx.texts(), ctx.now());
    html! {
        section { div.scroll { table {
            thead { tr {
                th scope="col" { (t.of("changes-when")) } th scope="col" { (t.of("changes-who")) }
                th scope="col" { (t.of("changes-what")) } th scope="col" { (t.of("changes-record")) }
                th scope="col" { (t.of("changes-fields")) }
            } }
            tbody { @for row in rows { tr {
                td data-label=(t.of("changes-when")) { (stamp(t, row.at, now)) }
                td data-label=(t.of("changes-who")) { span { (who(ctx, row, &names)) } }
                td data-label=(t.of("changes-what")) { span { (operation(t, &row.operation)) } }
                td data-label=(t.of("changes-record")) { span { (record(ctx, row, &names)) } }
                td data-label=(t.of("changes-fields")) { div { (fields(t, row)) } }
            } } }
        } } }
    }
}

/// Who did it, by which key, from where.
fn who(ctx: &PageContext, row: &LoggedChange, names: &PlatformNames) -> Markup {
    let t = ctx.texts();
    let by = format!("/changes?{ACTOR}={}", row.actor);
    html! {
        a href=(ctx.at(&by)) { (user(t, names, row.actor)) }
        @if let Some(key) = row.key {
            " " a.quiet href=(ctx.at(&format!("/keys/{key}"))) { (t.with("changes-by-key", &[("id", key.to_string().into())])) }
        }
        @if let Some(from) = row.from { " " code { (from) } }
    }
}

fn user<'a>(t: &Texts, names: &'a PlatformNames, user: OwnerId) -> Cow<'a, str> {
    match names.get(USERS, user.into()) {
        Some(name) => seen(name),
        None => t
            .with("keys-user-unnamed", &[("id", user.to_string().into())])
            .into(),
    }
}

/// The record, and whose it is where that is another than who changed it.
fn record(ctx: &PageContext, row: &LoggedChange, names: &PlatformNames) -> Markup {
    let t = ctx.texts();
    let number = row.row.to_string();
    let name = match row.name.as_str() {
        "" => html! { (t.with("changes-unnamed", &[("id", number.into())])) },
        // What the catalog calls them.
        name if row.table == "task_events" => html! { code { (seen(name)) } },
        name => html! { (seen(name)) },
    };
    // What was just deleted has no page any more.
    let page = path(&row.table, row.row).filter(|_| row.operation != "delete");
    html! {
        (kind(t, &row.table)) " "
        @match page { Some(path) => a href=(ctx.at(&path)) { (name) }, None => b { (name) } }
        @if row.owner != row.actor { " " span.quiet { (t.with("changes-of", &[("user", user(t, names, row.owner).into())])) } }
    }
}

/// What an edit changed; secrets are named alone.
fn fields(t: &Texts, row: &LoggedChange) -> Markup {
    let more = row.changes.iter().count().saturating_sub(FIELDS);
    html! {
        @if row.changes.is_empty() { span.quiet { "–" } }
        @for change in row.changes.iter().take(FIELDS) { div { (field(t, change)) } }
        @if more > 0 { div.quiet { (t.with("changes-more-fields", &[("count", more.into())])) } }
    }
}

fn field(t: &Texts, change: &FieldChange) -> Markup {
    html! {
        code { (change.field) } " "
        @match &change.values {
            Some((old, new)) => { (value(t, old)) " → " (value(t, new)) }
            None => (t.of("changes-hidden")),
        }
    }
}

fn value(t: &Texts, value: &str) -> Markup {
    let shown = beginning(value, VALUE);
    html! {
        @if value.is_empty() { span.quiet { (t.of("changes-empty")) } }
        @else { code { (seen(shown)) @if shown.len() < value.len() { "…" } } }
    }
}
