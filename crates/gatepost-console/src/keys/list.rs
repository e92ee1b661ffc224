//! The list of keys, with the read-only columns of SPEC 2.1: of all that the caller may see, or of
//! one user.

use std::borrow::Cow;

use apikey_core::{Expiration, IpList, KeyId, KeyState, OwnerId};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use gatepost_manage::AccessLevel;
use gatepost_storage::Page;
use gatepost_storage::keys::{KeyQuery, KeyRow};
use maud::{Markup, html};

use super::leaked::link as leaked_link;
use super::review::{is_active, is_expiring, is_unused, state};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::{Form, Query};
use crate::layout::{Above, Section, beginning, confirmation, page_under, seen};
use crate::list_view::{Asked, CREATED, Column, Listing, Rank, Rows, asked, list};
use crate::names::{PlatformNames, USERS, owner, user_name};
use crate::texts::Texts;
use crate::time::away;

/// The number of days before its expiration from which a key is highlighted.
const SOON: u64 = 7;
/// The maximum number of bytes of a description in the table.
const MAX_SHOWN: usize = 160;
/// The maximum number of entries of an IP list in the table.
const GLANCE: usize = 2;

/// The list of keys at one moment.
pub(super) struct KeyList {
    now: DateTime<Utc>,
    /// Whether the keys may belong to several users.
    is_mixed: bool,
    /// If so, the names of the owners on the page.
    owners: PlatformNames,
}

/// A column of the list.
type Of = Column<KeyList, KeyRow>;

impl Listing for KeyList {
    type Row = KeyRow;
    const NAME: &'static str = "keys";
    const COLUMNS: &'static [Of] = &[
        Of::new("keys-state", |ctx, list, row| {
            html! { div { (state(ctx.texts(), &row.key, list.now)) } }
        })
        .sorted("state", |list, row| {
            Rank::Number(u64::from(!is_active(&row.key, list.now)))
        }),
        Of::new("keys-name", name)
            .sorted("name", |_, row| Rank::text(row.key.name.as_str()))
            .name(),
        Of::new("keys-owner", |ctx, list, row| {
            owner(ctx, &list.owners, row.key.owner)
        })
        .only_if(|list| list.is_mixed)
        .desk(),
        Of::new("keys-expires", |ctx, list, row| {
            expires(ctx.texts(), row.key.expiration, list.now)
        })
        .sorted("expires", |_, row| {
            Rank::Time(match row.key.expiration {
                Expiration::At(at) => at,
                Expiration::Never => DateTime::<Utc>::MAX_UTC,
            })
        }),
        Of::new("keys-last-login-ip", |_, _, row| {
            html! { span.mono { @match row.key.last_login { Some(login) => (login.from.to_string()), None => "–" } } }
        })
        .narrow(),
        Of::new("keys-ip-lists", ip_lists).narrow(),
        Of::new("keys-created", |ctx, list, row| {
            away(ctx.texts(), row.key.created, list.now)
        })
        .sorted(CREATED, |_, row| Rank::Time(row.key.created))
        .desk(),
        Of::new("keys-last-login", |ctx, list, row| {
            let (t, login) = (ctx.texts(), row.key.last_login);
            html! { @match login { Some(login) => (away(t, login.at, list.now)), None => span.quiet { (t.of("keys-login-never")) } } }
        })
        .sorted("used", |_, row| {
            Rank::time_or_never(row.key.last_login.map(|login| login.at))
        })
        .when(),
        Of::buttons("keys-actions", buttons),
    ];
    const STATES: &'static [&'static str] = &[
        "active", "expiring", "expired", "disabled", "unused", "never",
    ];
    const CLASS: &'static str = "lines";

    fn number(row: &KeyRow) -> i64 {
        row.id.0
    }

    fn texts<'a>(&'a self, row: &'a KeyRow) -> Vec<Cow<'a, str>> {
        let (key, hint) = (&row.key, row.key.masked.to_string());
        vec![
            key.name.as_str().into(),
            key.description.as_str().into(),
            hint.into(),
        ]
    }

    fn is_in(&self, row: &KeyRow, state: &str) -> bool {
        let (key, now) = (&row.key, self.now);
        match state {
            "active" => is_active(key, now),
            "expired" => key.state(now) == KeyState::Expired,
            "disabled" => !key.enabled,
            "expiring" => is_expiring(key, now),
            "unused" => is_unused(key, now),
            _ => key.last_login.is_none(),
        }
    }

    async fn read(
        ctx: &PageContext,
        asked: &Asked,
        page: Page<i64>,
    ) -> Result<Rows<KeyRow>, Failure> {
        let query = KeyQuery {
            scope: asked.scope(),
            name: None,
            page: page.numbered(KeyId),
        };
        let listed = ctx.actor.keys(query).await?;
        Ok((listed.rows, listed.next.map(|id| id.0)))
    }

    async fn of(ctx: &PageContext, asked: &Asked, _: &[KeyRow]) -> Result<Self, Failure> {
        Ok(Self {
            now: ctx.now(),
            is_mixed: ctx.principal().access != AccessLevel::User && asked.owner().is_none(),
            owners: PlatformNames::default(),
        })
    }

    async fn shown(self, ctx: &PageContext, rows: &[KeyRow]) -> Result<Self, Failure> {
        let rows = rows.iter().filter(|_| self.is_mixed);
        let owners = rows.map(|row| (USERS.to_owned(), row.key.owner.into()));
        let owners: Vec<_> = owners.collect();
        Ok(Self {
            owners: PlatformNames::of(ctx, owners).await,
            ..self
        })
    }
}

pub(super) async fn show(ctx: PageContext, Query(query): Query) -> Result<Response, Failure> {
    let above = Above::Note(confirmation(&ctx, "keys", &query));
    let page = page_of(&ctx, &query, &above).await?;
    Ok(page.into_response())
}

/// Renders the page, with a note or a popup above the list.
pub(super) async fn page_of(
    ctx: &PageContext,
    query: &Form,
    above: &Above,
) -> Result<Markup, Failure> {
    let asked = asked::<KeyList>(ctx, query).await?;
    let rows = table(ctx, &asked, query).await?;
    let t = ctx.texts();
    let title = match asked.owner() {
        Some(owner) => {
            let user = user_name(ctx, owner).await;
            t.with("keys-title-of", &[("user", user.into())]).into()
        }
        None => t.of("keys-title"),
    };
    let actions = html! {
        @if asked.owner().is_some() { a.button href=(ctx.at("/keys")) { (t.of("keys-all")) } }
        @else { (leaked_link(ctx)) }
        (new_button(ctx, asked.owner()))
    };
    let section = Section::Keys;
    Ok(page_under(ctx, section, &title, &actions, above, &rows))
}

/// Renders the requested keys, with the form of the query and links to other pages.
pub(super) async fn table(
    ctx: &PageContext,
    asked: &Asked,
    query: &Form,
) -> Result<Markup, Failure> {
    list::<KeyList>(ctx, asked, query, &new_button(ctx, asked.owner())).await
}

/// Renders a link to the form of a new key, for the user whose keys are shown or for the caller.
pub(super) fn new_button(ctx: &PageContext, owner: Option<OwnerId>) -> Markup {
    let query = owner.map_or_else(String::new, |owner| format!("?owner={owner}"));
    html! { a.button.primary href={ (ctx.at("/keys/new")) (query) } { (ctx.texts().of("keys-new")) } }
}

fn name(ctx: &PageContext, _list: &KeyList, row: &KeyRow) -> Markup {
    let (key, about) = (&row.key, shortened(row.key.description.as_str()));
    html! {
        a href=(ctx.at(&format!("/keys/{}", row.id))) title=[(!about.is_empty()).then_some(about)] {
            strong { (seen(key.name.as_str())) }
        }
    }
}

fn buttons(ctx: &PageContext, list: &KeyList, row: &KeyRow) -> Markup {
    let (t, page) = (ctx.texts(), ctx.at(&format!("/keys/{}", row.id)));
    let named = [("name", seen(row.key.name.as_str()).into())];
    html! {
        div.actions {
            @if !row.key.expiration.is_expired(list.now) { a.button.small href={ (page) "/edit" } aria-label=(t.with("keys-edit-of", &named)) { (t.of("keys-edit")) } }
            a.button.small href={ (page) "/delete" } aria-label=(t.with("keys-delete-of", &named)) { (t.of("keys-delete")) }
        }
    }
}

/// Renders the days remaining (SPEC 2.1).
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

/// Renders a summary of the IP lists.
fn ip_lists(ctx: &PageContext, _list: &KeyList, row: &KeyRow) -> Markup {
    let (t, ip) = (ctx.texts(), &row.key.ip);
    html! {
        span.quiet {
            @if !ip.allow.is_empty() { (glance(t, &ip.allow, "keys-allow", "keys-allow-more")) " " }
            @if !ip.deny.is_empty() { (glance(t, &ip.deny, "keys-deny", "keys-deny-more")) }
            @if ip.allow.is_empty() && ip.deny.is_empty() { (t.of("keys-any-address")) }
        }
    }
}

/// Renders the first entries of a list and the number of the others, with a text for each case.
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
