//! The page of changes: which user changed which record, from the audit log.

use std::borrow::Cow;

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gatepost_manage::{FieldChange, LoggedChange};
use gatepost_storage::Page;
use gatepost_storage::audit::{AuditId, AuditQuery};
use maud::{Markup, html};
use webhook_model::ObjectId;

use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Query;
use crate::layout::{RECORD, Section, beginning, note, page, seen};
use crate::list_view::{Asked, Column, Kept, Listing, Rows, asked, list};
use crate::names::{PlatformNames, USERS, user};
use crate::texts::Texts;
use crate::time::away;

/// The part of the address that names the actor.
const ACTOR: &str = "by";
/// The maximum number of bytes shown of a value.
const VALUE: usize = 60;
/// The tables of records: the name in the log, and the parts of a row's path before and after its
/// number.
const TABLES: [(&str, &str, &str); 5] = [
    ("user_api_keys", "/keys/", ""),
    ("webhook_urls", "/webhooks/", ""),
    ("tasks", "/tasks/", "/edit"),
    ("task_events", "/events/", "/edit"),
    ("webhooks", "/deliveries/", ""),
];

/// The list of changes, with the names of the users on the page.
#[derive(Default)]
struct ChangeList(PlatformNames);

/// A column of the list.
type Of = Column<ChangeList, LoggedChange>;

impl Listing for ChangeList {
    type Row = LoggedChange;
    const NAME: &'static str = "changes";
    const COLUMNS: &'static [Of] = &[
        Of::new("changes-what", |ctx, _, row| {
            html! { span { (operation(ctx.texts(), &row.operation)) } }
        }),
        Of::new("changes-record", record).name(),
        Of::new("changes-who", who),
        Of::new("changes-fields", fields),
        Of::new("changes-when", |ctx, _, row| {
            away(ctx.texts(), row.at, ctx.now())
        })
        .when(),
    ];
    const CLASS: &'static str = "lines";
    const STATES: &'static [&'static str] = &[
        TABLES[0].0,
        TABLES[1].0,
        TABLES[2].0,
        TABLES[3].0,
        TABLES[4].0,
    ];
    const KEPT: &'static [Kept] = &[
        Kept {
            name: RECORD,
            is_field: false,
        },
        Kept {
            name: ACTOR,
            is_field: false,
        },
    ];

    fn number(row: &LoggedChange) -> i64 {
        row.id.0
    }

    fn texts<'a>(&'a self, row: &'a LoggedChange) -> Vec<Cow<'a, str>> {
        let mut texts: Vec<Cow<'a, str>> = vec![
            row.name.as_str().into(),
            row.operation.as_str().into(),
            format!("{}/{}", row.table, row.row).into(),
        ];
        for change in row.changes.iter() {
            texts.push((&*change.field).into());
            if let Some((old, new)) = &change.values {
                texts.extend([old.as_str().into(), new.as_str().into()]);
            }
        }
        texts
    }

    fn is_in(&self, row: &LoggedChange, table: &str) -> bool {
        row.table == table
    }

    async fn read(
        ctx: &PageContext,
        asked: &Asked,
        page: Page<i64>,
    ) -> Result<Rows<LoggedChange>, Failure> {
        let record = asked.kept(RECORD).split_once('/');
        let record = record.and_then(|(table, row)| Some((table.to_owned(), row.parse().ok()?)));
        let query = AuditQuery {
            scope: asked.scope(),
            record,
            actor: asked.kept(ACTOR).parse().ok(),
            ..AuditQuery::all(page.numbered(AuditId))
        };
        let listed = ctx.actor.logged_changes(&query).await?;
        Ok((listed.rows, listed.next.map(|id| id.0)))
    }

    async fn of(_: &PageContext, _: &Asked, _: &[LoggedChange]) -> Result<Self, Failure> {
        Ok(Self::default())
    }

    async fn shown(self, ctx: &PageContext, rows: &[LoggedChange]) -> Result<Self, Failure> {
        let users = rows.iter().flat_map(|row| [row.actor, row.owner]);
        let users: Vec<_> = users.map(|user| (USERS.to_owned(), user.into())).collect();
        Ok(Self(PlatformNames::of(ctx, users).await))
    }
}

pub(crate) fn routes() -> Router {
    Router::new().route("/", get(show))
}

async fn show(ctx: PageContext, Query(query): Query) -> Result<Response, Failure> {
    if !ctx.actor.has_audit_log() {
        return Err(Failure::NotFound);
    }
    let asked = asked::<ChangeList>(&ctx, &query).await?;
    let list = list::<ChangeList>(&ctx, &asked, &query, &html! {}).await?;
    let (t, lost) = (ctx.texts(), ctx.actor.audit_lost());
    let body = html! {
        @if let Some(lost) = lost.filter(|lost| *lost > 0) { (note("warn", &html! { (t.with("changes-lost", &[("count", lost.into())])) })) }
        (list)
    };
    let section = Section::Changes;
    Ok(page(&ctx, section, &section.name(t), &body).into_response())
}

/// Renders the actor of a change, with the key and the address that they used.
fn who(ctx: &PageContext, list: &ChangeList, row: &LoggedChange) -> Markup {
    let t = ctx.texts();
    let by = format!("/changes?{ACTOR}={}", row.actor);
    html! {
        span {
            a href=(ctx.at(&by)) { (user(ctx, &list.0, row.actor)) }
            @if let Some(key) = row.key {
                " " a.quiet href=(ctx.at(&format!("/keys/{key}"))) { (t.with("changes-by-key", &[("id", key.to_string().into())])) }
            }
            @if let Some(from) = row.from { " " code { (from) } }
        }
    }
}

/// Renders the record, with its owner if that is another user than the actor.
fn record(ctx: &PageContext, list: &ChangeList, row: &LoggedChange) -> Markup {
    let t = ctx.texts();
    let number = row.row.to_string();
    let name = match row.name.as_str() {
        "" => html! { (t.with("changes-unnamed", &[("id", number.into())])) },
        // The name of an event in the catalog.
        name if row.table == "task_events" => html! { code { (seen(name)) } },
        name => html! { (seen(name)) },
    };
    // A record that this change deleted has no page.
    let page = path(&row.table, row.row).filter(|_| row.operation != "delete");
    let about = html! {
        (kind(t, &row.table)) " " (name)
        @if row.owner != row.actor { " " span.quiet { (t.with("changes-of", &[("user", user(ctx, &list.0, row.owner).into())])) } }
    };
    html! { @match page { Some(path) => a href=(ctx.at(&path)) { (about) }, None => span { (about) } } }
}

/// Renders the names of the fields that an edit changed, and their values folded; of a secret only
/// the name.
fn fields(ctx: &PageContext, _list: &ChangeList, row: &LoggedChange) -> Markup {
    let names: Vec<_> = row.changes.iter().map(|change| &*change.field).collect();
    html! {
        @if !names.is_empty() { details {
            summary { (names.join(", ")) }
            @for change in row.changes.iter() { div { (field(ctx.texts(), change)) } }
        } }
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

/// Renders the operation.
fn operation(texts: &Texts, word: &str) -> Markup {
    named(
        texts,
        &format!("changes-did-{}", word.replace('_', "-")),
        word,
    )
}

/// Renders the kind of record.
fn kind(texts: &Texts, table: &str) -> Markup {
    let text = format!("lists-changes-state-{}", table.replace('_', "-"));
    named(texts, &text, table)
}

/// Renders a text, or the word itself if there is no text of this name.
fn named(texts: &Texts, text: &str, word: &str) -> Markup {
    html! { @match texts.find(text) { Some(text) => (text), None => code { (word) } } }
}

/// Returns the path of a record's page below the console's own; `None` for a table of the platform.
fn path(table: &str, row: ObjectId) -> Option<String> {
    let known = TABLES.iter().find(|(known, ..)| *known == table);
    known.map(|(_, before, after)| format!("{before}{row}{after}"))
}
