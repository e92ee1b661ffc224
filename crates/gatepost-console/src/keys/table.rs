//! The table of keys, with the read-only columns of SPEC 2.1.

use apikey_core::{Expiration, IpList, KeyId, KeyState, OwnerId};
use chrono::{DateTime, Utc};
use gatepost_manage::AccessLevel;
use gatepost_storage::keys::{KeyQuery, KeyRow};
use gatepost_storage::{Page, Scope};
use maud::{Markup, html};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{badge, empty, more, seen};
use crate::paging::one_page;
use crate::time::{stamp, stamp_or};

/// Rows on a page.
const ROWS: usize = 50;
/// One more row is read, to see whether there is another page.
const READ: u32 = 51;

/// One page of the keys that the caller may see.
pub(super) async fn table(ctx: &PageContext, filter: &Form) -> Result<Markup, Failure> {
    let owner = filter.key("owner").map(OwnerId);
    let after = filter.key("after").map(KeyId);
    let query = KeyQuery {
        scope: owner.map_or(Scope::All, Scope::Owner),
        name: None,
        page: Page {
            after,
            ..Page::newest(READ)
        },
    };
    let (rows, next) = one_page(ctx.actor.keys(query).await?, ROWS, |row| row.id);
    if rows.is_empty() && after.is_none() && next.is_none() {
        return Ok(empty(
            "No API keys yet",
            "An API key lets a script, pipeline or other tool use the API with your permissions, without logging in. The key is shown once, when it is created.",
            &new_button(ctx, owner.map(|owner| owner.0)),
        ));
    }
    let now = ctx.now();
    let many_owners = ctx.principal().access > AccessLevel::User;
    let query = owner.map_or_else(String::new, |owner| format!("owner={}", owner.0));
    let mut owners = Vec::with_capacity(if many_owners { rows.len() } else { 0 });
    for row in rows.iter().filter(|_| many_owners) {
        owners.push(user_name(ctx, row.key.owner.0).await);
    }
    Ok(html! {
        section {
            div.scroll {
                table {
                    thead {
                        tr {
                            th scope="col" { "Name" }
                            @if many_owners { th scope="col" { "Owner" } }
                            th scope="col" { "Description" }
                            th scope="col" { "Expires" }
                            th scope="col" { "Last logged in" }
                            th scope="col" { "Last logged in IP" }
                            th scope="col" { "Created" }
                            th scope="col" { "IP lists" }
                            th scope="col" { "State" }
                            th scope="col" { span.unseen { "Actions" } }
                        }
                    }
                    tbody {
                        @for (at, row) in rows.iter().enumerate() { (line(ctx, row, owners.get(at), now)) }
                    }
                }
            }
        }
        (more(&ctx.at("/keys"), &query, after.is_none(), next.map(|id| id.0)))
    })
}

/// A link to the form of a new key, for the user whose keys are shown or for the caller.
pub(super) fn new_button(ctx: &PageContext, owner: Option<i64>) -> Markup {
    let query = owner.map_or_else(String::new, |owner| format!("?owner={owner}"));
    html! { a.button.primary href={ (ctx.at("/keys/new")) (query) } { "New API key" } }
}

/// The name of a user.
pub(super) async fn user_name(ctx: &PageContext, user: i64) -> String {
    let name = ctx.actor.name("users", user).await;
    name.unwrap_or_else(|| format!("user {user}"))
}

fn line(ctx: &PageContext, row: &KeyRow, owner: Option<&String>, now: DateTime<Utc>) -> Markup {
    let key = &row.key;
    let name = seen(key.name.as_str());
    let (state, kind) = match key.state(now) {
        KeyState::Active => ("active", "good"),
        KeyState::Expired => ("expired", "warn"),
        KeyState::Deleted => ("deleted", "bad"),
    };
    let expired = key.state(now) == KeyState::Expired;
    let at = |what: &str| ctx.at(&format!("/keys/{}/{what}", row.id.0));
    html! {
        tr {
            td data-label="Name" { div { strong { (name) } br; code.quiet.nowrap { (key.hint) } } }
            @if let Some(owner) = owner { td data-label="Owner" { a href=(ctx.at(&format!("/keys?owner={}", key.owner.0))) { (seen(owner)) } } }
            td data-label="Description" { span { (seen(key.description.as_str())) } }
            td data-label="Expires" { (expires(key.expiration, now)) }
            td data-label="Last logged in" { div { (stamp_or(key.last_login.map(|login| login.at), now, "never")) } }
            td data-label="Last logged in IP" { span.mono { @match key.last_login { Some(login) => (login.from.to_string()), None => "–" } } }
            td data-label="Created" { div { (stamp(key.created, now)) } }
            td data-label="IP lists" { div { (glance("Allow", &key.ip.allow)) (glance("Deny", &key.ip.deny)) @if key.ip.allow.is_empty() && key.ip.deny.is_empty() { span.quiet { "any address" } } } }
            td data-label="State" { span { (badge(kind, state)) } }
            td {
                div.actions {
                    @if !expired { a.button.small href=(at("edit")) { "Edit" span.unseen { " " (name) } } }
                    a.button.small href=(at("delete")) { "Delete" span.unseen { " " (name) } }
                }
            }
        }
    }
}

/// Days remaining (SPEC 2.1).
fn expires(expiration: Expiration, now: DateTime<Utc>) -> Markup {
    let (Expiration::At(at), Some(days)) = (expiration, expiration.days_remaining(now)) else {
        return html! { span.quiet { "never" } };
    };
    let date = at.format("%Y-%m-%d %H:%M UTC").to_string();
    html! {
        span title=(date) class=(if days <= 7 { "badge warn" } else { "nowrap" }) {
            @match days { 0 => "0 days", 1 => "1 day", days => { (days) " days" } }
        }
    }
}

/// The first entries of a list, and the number of the others.
fn glance(name: &str, list: &IpList) -> Markup {
    let shown = 2;
    html! {
        @if !list.is_empty() {
            div.quiet {
                (name) ": "
                @for (at, entry) in list.entries().iter().take(shown).enumerate() {
                    @if at > 0 { ", " }
                    @if entry.enabled { span.mono { (entry.net) } } @else { s.mono title="disabled" { (entry.net) } }
                }
                @if list.len() > shown { " and " (list.len() - shown) " more" }
            }
        }
    }
}
