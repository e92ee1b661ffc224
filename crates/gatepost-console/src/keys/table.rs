//! The table of keys, with the read-only columns of SPEC 2.1.

use apikey_core::{Expiration, IpList, IpPolicy, OwnerId};
use chrono::{DateTime, Utc};
use gatepost_manage::AccessLevel;
use gatepost_storage::keys::KeyRow;
use maud::{Markup, html};

use super::listing::shown;
use super::review::state;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{beginning, empty, seen};
use crate::list_view::{Asked, Shown};
use crate::platform_names::PlatformNames;
use crate::texts::Texts;
use crate::time::{stamp, stamp_or};

/// The platform's table of users.
pub(super) const USERS: &str = "users";
/// Days before it expires from which on a key stands out.
const SOON: u64 = 7;
/// Bytes of a description that the table shows.
const MAX_SHOWN: usize = 160;
/// Entries of an IP list that the table shows.
const GLANCE: usize = 2;

/// The keys that were asked for, with the form that asks and the way to other pages.
pub(super) async fn table(ctx: &PageContext, asked: &Asked) -> Result<Markup, Failure> {
    let (t, shown) = (ctx.texts(), shown(ctx, asked).await?);
    if asked.is_void(&shown) {
        return Ok(empty(
            &t.of("keys-none-title"),
            &t.of("keys-none-text"),
            &new_button(ctx, asked.owner()),
        ));
    }
    let owners = owners(ctx, asked, &shown).await;
    Ok(html! {
        (asked.form(ctx, &html! {}).await)
        (asked.caption(t, &shown))
        @if !shown.rows.is_empty() { (rows(ctx, asked, &shown, owners.as_ref())) }
        (asked.pager(t, &shown))
    })
}

/// A link to the form of a new key, for the user whose keys are shown or for the caller.
pub(super) fn new_button(ctx: &PageContext, owner: Option<OwnerId>) -> Markup {
    let query = owner.map_or_else(String::new, |owner| format!("?owner={owner}"));
    html! { a.button.primary href={ (ctx.at("/keys/new")) (query) } { (ctx.texts().of("keys-new")) } }
}

/// The name of a user.
pub(super) async fn user_name(ctx: &PageContext, user: OwnerId) -> String {
    let name = ctx.actor.name(USERS, user.into()).await;
    name.unwrap_or_else(|| unnamed(ctx, user))
}

pub(super) fn unnamed(ctx: &PageContext, user: OwnerId) -> String {
    let id = [("id", user.to_string().into())];
    ctx.texts().with("keys-user-unnamed", &id)
}

/// The names of the owners, by one question; `None` where all keys are one user's.
async fn owners(ctx: &PageContext, asked: &Asked, shown: &Shown<KeyRow>) -> Option<PlatformNames> {
    if ctx.principal().access == AccessLevel::User || asked.owner().is_some() {
        return None;
    }
    let owners = shown.rows.iter().map(|row| row.key.owner.into());
    let owners = owners.map(|owner| (USERS.to_owned(), owner));
    Some(PlatformNames::of(ctx, owners).await)
}

fn rows(
    ctx: &PageContext,
    asked: &Asked,
    shown: &Shown<KeyRow>,
    owners: Option<&PlatformNames>,
) -> Markup {
    let t = ctx.texts();
    html! {
        section {
            div.scroll {
                table.wide {
                    thead {
                        tr {
                            (asked.heading(&t.of("keys-name"), "name"))
                            @if owners.is_some() { th scope="col" { (t.of("keys-owner")) } }
                            (asked.heading(&t.of("keys-expires"), "expires"))
                            (asked.heading(&t.of("keys-last-login"), "used"))
                            th scope="col" { (t.of("keys-last-login-ip")) }
                            (asked.heading(&t.of("keys-created"), "created"))
                            th scope="col" { (t.of("keys-ip-lists")) }
                            (asked.heading(&t.of("keys-state"), "state"))
                            th scope="col" { span.unseen { (t.of("keys-actions")) } }
                        }
                    }
                    tbody { @for row in &shown.rows { (line(ctx, row, owners)) } }
                }
            }
        }
    }
}

fn line(ctx: &PageContext, row: &KeyRow, owners: Option<&PlatformNames>) -> Markup {
    let (t, key, now) = (ctx.texts(), &row.key, ctx.now());
    let name = seen(key.name.as_str());
    let named = [("name", (&*name).into())];
    let page = ctx.at(&format!("/keys/{}", row.id.0));
    html! {
        tr {
            td data-label=(t.of("keys-name")) { div {
                a href=(page) { strong { (name) } } br;
                code.quiet.nowrap { (key.hint) }
                @if !key.description.as_str().is_empty() { div.quiet.about { (shortened(key.description.as_str())) } }
            } }
            @if let Some(owners) = owners { td data-label=(t.of("keys-owner")) {
                @let owner = owners.get(USERS, key.owner.into()).map_or_else(|| unnamed(ctx, key.owner), str::to_owned);
                a href=(ctx.at(&format!("/users/{}", key.owner))) { (seen(&owner)) }
            } }
            td data-label=(t.of("keys-expires")) { (expires(t, key.expiration, now)) }
            td data-label=(t.of("keys-last-login")) { div { (stamp_or(t, key.last_login.map(|login| login.at), now, &t.of("keys-login-never"))) } }
            td data-label=(t.of("keys-last-login-ip")) { span.mono { @match key.last_login { Some(login) => (login.from.to_string()), None => "–" } } }
            td data-label=(t.of("keys-created")) { div { (stamp(t, key.created, now)) } }
            td data-label=(t.of("keys-ip-lists")) { div.ips { (ip_lists(t, &key.ip)) } }
            td data-label=(t.of("keys-state")) { div.marks { (state(t, key, now)) } }
            td {
                div.actions {
                    @if !key.expiration.is_expired(now) { a.button.small href={ (page) "/edit" } aria-label=(t.with("keys-edit-of", &named)) { (t.of("keys-edit")) } }
                    a.button.small href={ (page) "/delete" } aria-label=(t.with("keys-delete-of", &named)) { (t.of("keys-delete")) }
                }
            }
        }
    }
}

/// Days remaining (SPEC 2.1).
fn expires(texts: &Texts, expiration: Expiration, now: DateTime<Utc>) -> Markup {
    let (Expiration::At(at), Some(left)) = (expiration, expiration.days_remaining(now)) else {
        return html! { span.quiet { (texts.of("keys-expires-never")) } };
    };
    let date = at.format("%Y-%m-%d %H:%M UTC").to_string();
    let class = if left <= SOON { "badge warn" } else { "nowrap" };
    let days = texts.with("keys-days", &[("count", left.into())]);
    html! { span title=(date) class=(class) { (days) } }
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

/// The IP lists at a glance.
fn ip_lists(t: &Texts, ip: &IpPolicy) -> Markup {
    html! {
        @if !ip.allow.is_empty() { div.quiet { (glance(t, &ip.allow, "keys-allow", "keys-allow-more")) } }
        @if !ip.deny.is_empty() { div.quiet { (glance(t, &ip.deny, "keys-deny", "keys-deny-more")) } }
        @if ip.allow.is_empty() && ip.deny.is_empty() { span.quiet { (t.of("keys-any-address")) } }
    }
}

/// The first entries of a list, and the number of the others: one text for each case.
fn glance(t: &Texts, list: &IpList, all: &'static str, some: &'static str) -> Markup {
    let entries = html! {
        @for (at, entry) in list.entries().iter().take(GLANCE).enumerate() {
            @if at > 0 { ", " }
            @if entry.enabled { span.mono { (entry.net) } } @else { s.mono title=(t.of("keys-entry-is-disabled")) { (entry.net) } }
        }
    };
    let beyond = list.len().saturating_sub(GLANCE) as u64;
    let parts = [("entries", entries.into()), ("count", beyond.into())];
    t.markup(if beyond > 0 { some } else { all }, &parts)
}
