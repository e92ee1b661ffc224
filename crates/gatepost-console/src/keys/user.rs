//! A user's own page: the user's keys (SPEC 2.1, Owner), and the way to the other records.

use apikey_core::OwnerId;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_manage::{AccessLevel, User};
use maud::{Markup, html};

use super::listing::KeyList;
use super::table::{new_button, table};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, grouped, note, page_with, seen};
use crate::list_view::{Asked, Listing as _};
use crate::row_id::RowId;

/// The other records of a user: the limit that counts them, where they are listed, and the name of
/// the list.
const OTHERS: [(&str, &str, &str); 3] = [
    ("webhooks", "/webhooks", "Webhooks"),
    ("tasks", "/tasks", "Tasks"),
    ("events", "/events", "Events"),
];

pub(super) async fn show(
    ctx: PageContext,
    RowId(id): RowId,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let page = page_of(&ctx, OwnerId(id), &query, &html! {}).await?;
    Ok(page.into_response())
}

/// The page, with a popup above the keys. Who may not manage the user's keys finds no such page.
pub(super) async fn page_of(
    ctx: &PageContext,
    owner: OwnerId,
    query: &Form,
    above: &Markup,
) -> Result<Markup, Failure> {
    let user = ctx.actor.user(owner).await?;
    let name = user.name.clone().unwrap_or_else(|| format!("User {owner}"));
    let asked = Asked::of_owner(ctx, &path(owner), query, &KeyList::SHAPE, owner);
    let body = html! {
        (above)
        (about(ctx, &user).await?)
        h2 { "API keys" }
        (table(ctx, &asked).await?)
    };
    let actions = new_button(ctx, Some(owner));
    Ok(page_with(ctx, Section::Keys, &seen(&name), &actions, &body))
}

/// Where a user's page is, within the console.
pub(super) fn path(owner: OwnerId) -> String {
    format!("/users/{owner}")
}

async fn about(ctx: &PageContext, user: &User) -> Result<Markup, Failure> {
    let access = match user.access {
        AccessLevel::User => "User",
        AccessLevel::TenantAdministrator => "Tenant administrator",
        AccessLevel::SystemAdministrator => "System administrator",
        _ => "Other",
    };
    let limits = ctx.actor.limits(user.owner).await?;
    let count = |name: &str| {
        let limit = limits.iter().find(|limit| limit.name == name);
        limit.map_or(0, |limit| limit.used)
    };
    Ok(html! {
        @if !user.enabled { (note("warn", &html! { "This user is disabled: the keys are refused, and webhooks send nothing." })) }
        section {
            dl {
                dt { "Access level" } dd { (access) ". The user's keys have the same permissions." }
                @for (name, path, label) in OTHERS {
                    dt { (label) }
                    dd { a href=(ctx.at(&format!("{path}?owner={}", user.owner))) { (grouped(count(name))) span.unseen { " " (name) " of this user" } } }
                }
            }
        }
    })
}
