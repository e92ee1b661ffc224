//! The page of a user: the user's keys (SPEC 2.1, Owner), and links to the other records.

use apikey_core::OwnerId;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::{AccessLevel, User};
use maud::{Markup, html};

use super::list::{KeyList, new_button, table};
use crate::choices::choices;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::{Form, Query};
use crate::layout::{Above, Section, finder, note, page, page_under, picker, seen};
use crate::list_view::{Column, asked_of, table as rows};
use crate::names::USERS;
use crate::problems::Problems;
use crate::row_id::UserId;

/// The other records of a user: the name of the limit that counts them, which is also that of their
/// list. Their texts are `keys-user-webhooks` and `keys-user-webhooks-count`.
const OTHERS: [&str; 3] = ["webhooks", "tasks", "events"];

/// The columns of the list of users, whose rows are ids and names.
const COLUMNS: &[Column<(), (String, String)>] = &[
    Column::new("keys-user", |ctx, (), (id, name)| {
        html! { a href=(ctx.at(&format!("/users/{id}"))) { (name) } }
    })
    .name(),
    Column::new("keys-user-number", |_, (), (id, _)| html! { code { (id) } }).when(),
];

/// Renders the list of users for administrators. If there are too many, a form searches them; if
/// the platform names none, it asks for the id.
pub(super) async fn list(ctx: PageContext, Query(query): Query) -> Result<Response, Failure> {
    if ctx.principal().access == AccessLevel::User {
        return Err(Failure::NotFound);
    }
    if let Some(owner) = query.owner("user") {
        return Ok(Redirect::to(&ctx.at(&path(owner))).into_response());
    }
    let users = choices(&ctx, &query, "user", USERS).await?;
    let (t, label) = (ctx.texts(), ctx.texts().of("keys-user"));
    let body = html! {
        @if users.rows.is_empty() || users.search.is_some() {
            form.filter method="get" {
                @match &users.search {
                    Some(typed) => (finder(t, "user", &label, typed, false)),
                    None => (picker(t, &Problems::none(), "user", [&label, ""], &users, query.text("user"), None)),
                }
                button { (t.of("keys-user-open")) }
            }
        }
        @if !users.rows.is_empty() { section { (rows(&ctx, "lines", COLUMNS, &(), &users.rows, |_, _| None, |_| String::new())) } }
    };
    let title = Section::Users.name(t);
    Ok(page(&ctx, Section::Users, &title, &body).into_response())
}

pub(super) async fn show(
    ctx: PageContext,
    UserId(owner): UserId,
    Query(query): Query,
) -> Result<Response, Failure> {
    let page = page_of(&ctx, owner, &query, &Above::Note(html! {})).await?;
    Ok(page.into_response())
}

/// Returns the page, with a popup above the keys. For a caller who may not manage the user's keys
/// it does not exist.
pub(super) async fn page_of(
    ctx: &PageContext,
    owner: OwnerId,
    query: &Form,
    above: &Above,
) -> Result<Markup, Failure> {
    let user = ctx.actor.user(owner).await?;
    let t = ctx.texts();
    let name = user.name.clone().unwrap_or_else(|| {
        t.with(
            "keys-user-unnamed-title",
            &[("id", owner.to_string().into())],
        )
    });
    let asked = asked_of::<KeyList>(ctx, &path(owner), query, owner);
    let body = html! {
        (about(ctx, &user).await?)
        h2 { (t.of("keys-user-keys")) }
        (table(ctx, &asked, query).await?)
    };
    let actions = new_button(ctx, Some(owner));
    let section = match ctx.principal().access {
        AccessLevel::User => Section::Keys,
        _ => Section::Users,
    };
    let title = seen(&name);
    Ok(page_under(ctx, section, &title, &actions, above, &body))
}

/// Returns the path of a user's page below the console's own.
pub(super) fn path(owner: OwnerId) -> String {
    format!("/users/{owner}")
}

async fn about(ctx: &PageContext, user: &User) -> Result<Markup, Failure> {
    let t = ctx.texts();
    let level = t.of(match user.access {
        AccessLevel::User => "keys-level-user",
        AccessLevel::TenantAdministrator => "keys-level-tenant",
        AccessLevel::SystemAdministrator => "keys-level-system",
        _ => "keys-level-other",
    });
    let limits = ctx.actor.limits(user.owner).await?;
    let count = |name: &str| {
        let limit = limits.iter().find(|limit| limit.name == name);
        limit.map_or(0, |limit| limit.used)
    };
    Ok(html! {
        @if !user.enabled { (note("warn", &html! { (t.of("keys-user-disabled")) })) }
        section {
            dl {
                dt { (t.of("keys-user-access")) } dd { (t.with("keys-user-access-text", &[("level", level.into())])) }
                @for name in OTHERS {
                    @let (count, text) = (count(name), format!("keys-user-{name}"));
                    dt { (t.of(&text)) }
                    dd { a href=(ctx.at(&format!("/{name}?owner={}", user.owner))) aria-label=(t.with(&format!("{text}-count"), &[("count", count.into())])) { (t.number(count)) } }
                }
            }
        }
    })
}
