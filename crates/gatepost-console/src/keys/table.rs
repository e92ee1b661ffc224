//! The table of keys, with the read-only columns of SPEC 2.1.

use std::collections::{BTreeMap, BTreeSet};

use apikey_core::{Expiration, IpList, OwnerId};
use chrono::{DateTime, Utc};
use gatepost_manage::AccessLevel;
use gatepost_storage::keys::KeyRow;
use maud::{Markup, html};

use super::listing::shown;
use super::review::{days, state};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{beginning, empty, seen};
use crate::list_view::{Asked, Shown};
use crate::time::{stamp, stamp_or};

/// Days before it expires from which on a key stands out.
const SOON: u64 = 7;
/// Bytes of a description that the table shows.
const MAX_SHOWN: usize = 160;

/// The keys that were asked for, with the form that asks and the way to other pages.
pub(super) async fn table(ctx: &PageContext, asked: &Asked) -> Result<Markup, Failure> {
    let shown = shown(ctx, asked).await?;
    if asked.is_void(&shown) {
        return Ok(empty(
            "No API keys yet",
            "An API key lets a script, pipeline or other tool use the API with your permissions, without logging in. The key is shown once, when it is created.",
            &new_button(ctx, asked.owner()),
        ));
    }
    let owners = owners(ctx, asked, &shown).await;
    Ok(html! {
        (asked.form(ctx, &html! {}).await)
        (asked.caption(&shown))
        @if !shown.rows.is_empty() { (rows(ctx, asked, &shown, owners.as_ref())) }
        (asked.pager(&shown))
    })
}

/// A link to the form of a new key, for the user whose keys are shown or for the caller.
pub(super) fn new_button(ctx: &PageContext, owner: Option<OwnerId>) -> Markup {
    let query = owner.map_or_else(String::new, |owner| format!("?owner={owner}"));
    html! { a.button.primary href={ (ctx.at("/keys/new")) (query) } { "New API key" } }
}

/// The name of a user.
pub(super) async fn user_name(ctx: &PageContext, user: OwnerId) -> String {
    let name = ctx.actor.name("users", user.0).await;
    name.unwrap_or_else(|| format!("user {user}"))
}

/// The names of the owners, each asked for once; `None` where all keys are one user's.
async fn owners(
    ctx: &PageContext,
    asked: &Asked,
    shown: &Shown<KeyRow>,
) -> Option<BTreeMap<OwnerId, String>> {
    if ctx.principal().access == AccessLevel::User || asked.owner().is_some() {
        return None;
    }
    let owners: BTreeSet<OwnerId> = shown.rows.iter().map(|row| row.key.owner).collect();
    let mut names = BTreeMap::new();
    for owner in owners {
        names.insert(owner, user_name(ctx, owner).await);
    }
    Some(names)
}

fn rows(
    ctx: &PageContext,
    asked: &Asked,
    shown: &Shown<KeyRow>,
    owners: Option<&BTreeMap<OwnerId, String>>,
) -> Markup {
    html! {
        section {
            div.scroll {
                table {
                    thead {
                        tr {
                            (asked.heading("Name", "name"))
                            @if owners.is_some() { th scope="col" { "Owner" } }
                            (asked.heading("Expires", "expires"))
                            (asked.heading("Last logged in", "used"))
                            th scope="col" { "Last logged in IP" }
                            (asked.heading("Created", "created"))
                            th scope="col" { "IP lists" }
                            (asked.heading("State", "state"))
                            th scope="col" { span.unseen { "Actions" } }
                        }
                    }
                    tbody { @for row in &shown.rows { (line(ctx, row, owners)) } }
                }
            }
        }
    }
}

fn line(ctx: &PageContext, row: &KeyRow, owners: Option<&BTreeMap<OwnerId, String>>) -> Markup {
    let (key, now) = (&row.key, ctx.now());
    let name = seen(key.name.as_str());
    let page = ctx.at(&format!("/keys/{}", row.id.0));
    html! {
        tr {
            td data-label="Name" { div {
                a href=(page) { strong { (name) } } br;
                code.quiet.nowrap { (key.hint) }
                @if !key.description.as_str().is_empty() { div.quiet.about { (shortened(key.description.as_str())) } }
            } }
            @if let Some(owners) = owners { td data-label="Owner" {
                a href=(ctx.at(&format!("/users/{}", key.owner))) { (seen(owners.get(&key.owner).map_or("–", String::as_str))) }
            } }
            td data-label="Expires" { (expires(key.expiration, now)) }
            td data-label="Last logged in" { div { (stamp_or(ctx.texts(), key.last_login.map(|login| login.at), now, "never")) } }
            td data-label="Last logged in IP" { span.mono { @match key.last_login { Some(login) => (login.from.to_string()), None => "–" } } }
            td data-label="Created" { div { (stamp(ctx.texts(), key.created, now)) } }
            td data-label="IP lists" { div.ips { (glance("Allow", &key.ip.allow)) (glance("Deny", &key.ip.deny)) @if key.ip.allow.is_empty() && key.ip.deny.is_empty() { span.quiet { "any address" } } } }
            td data-label="State" { div.marks { (state(key, now)) } }
            td {
                div.actions {
                    @if !key.expiration.is_expired(now) { a.button.small href={ (page) "/edit" } { "Edit" span.unseen { " " (name) } } }
                    a.button.small href={ (page) "/delete" } { "Delete" span.unseen { " " (name) } }
                }
            }
        }
    }
}

/// Days remaining (SPEC 2.1).
fn expires(expiration: Expiration, now: DateTime<Utc>) -> Markup {
    let (Expiration::At(at), Some(left)) = (expiration, expiration.days_remaining(now)) else {
        return html! { span.quiet { "never" } };
    };
    let date = at.format("%Y-%m-%d %H:%M UTC").to_string();
    let class = if left <= SOON { "badge warn" } else { "nowrap" };
    html! { span title=(date) class=(class) { (days(left)) } }
}

fn shortened(description: &str) -> String {
    let start = beginning(description, MAX_SHOWN);
    let rest = if start.len() < description.len() {
        "…"
    } else {
        ""
    };
    format!("{}{rest}", seen(start))
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
