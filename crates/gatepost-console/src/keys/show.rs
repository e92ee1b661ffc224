//! The page of a key with all its properties, except the key itself.

use apikey_core::{Expiration, Grant, IpEntry, IpList, KeyId, ScopeName, TableName};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use gatepost_manage::ManageError;
use gatepost_storage::keys::{KeyRow, Rolled};
use maud::{Markup, html};

use super::review::{expiry, state, surprises};
use super::usage::{Usage, days};
use super::user;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Query;
use crate::layout::{Section, changes_link, confirmation, menu, note, one_button, page_with, seen};
use crate::names::user_name;
use crate::row_id::RowId;
use crate::texts::Texts;
use crate::time::{moment, stamp};

pub(super) async fn show(
    ctx: PageContext,
    RowId(id): RowId,
    Query(query): Query,
) -> Result<Response, Failure> {
    let row = ctx.actor.key(KeyId(id)).await?;
    let usage = Usage::of(&ctx, row.id, days(query.text("days"))).await?;
    let (t, owner) = (ctx.texts(), user_name(&ctx, row.key.owner).await);
    let ties = ties(&ctx, row.rolled).await?;
    let at = |what: &str| ctx.at(&format!("/keys/{id}/{what}"));
    let actions = html! {
        @if !row.key.expiration.is_expired(ctx.now()) {
            a.button href=(at("edit")) { (t.of("keys-edit")) }
            a.button href=(at("roll")) { (t.of("keys-roll")) }
            @if row.key.enabled {
                a.button href=(at("disable")) { (t.of("keys-disable")) }
            } @else {
                (one_button(&ctx, &at("enable"), "", &t.of("keys-enable"), None))
            }
        }
        (menu(t, "more", &html! {
            (changes_link(&ctx, "user_api_keys", id))
            a.danger href=(at("delete")) { (t.of("keys-delete")) }
        }))
    };
    let body = html! {
        (confirmation(&ctx, "keys", &query))
        @if !row.key.enabled && query.text("done").is_empty() { (note("warn", &html! { (t.of("keys-is-disabled")) })) }
        (facts(&ctx, &row, &owner, &ties))
        (usage.markup(t, &ctx.at(&format!("/keys/{id}"))))
    };
    let title = seen(row.key.name.as_str());
    Ok(page_with(&ctx, Section::Keys, &title, &actions, &body).into_response())
}

/// Renders links to the key that this one replaced, and to the one that replaced it.
async fn ties(ctx: &PageContext, rolled: Rolled) -> Result<Markup, Failure> {
    let mut ties = Vec::new();
    for (what, tied) in [
        ("keys-rolled-from", rolled.from),
        ("keys-rolled-to", rolled.to),
    ] {
        let Some(id) = tied else { continue };
        let name = match ctx.actor.key(id).await {
            Ok(row) => {
                html! { a href=(ctx.at(&format!("/keys/{}", id.0))) { (seen(row.key.name.as_str())) } }
            }
            Err(ManageError::NotFound) => html! { (ctx.texts().of("keys-rolled-gone")) },
            Err(error) => return Err(error.into()),
        };
        ties.push((ctx.texts().of(what), name));
    }
    Ok(html! { @for (what, name) in ties { dt { (what) } dd { (name) } } })
}

fn facts(ctx: &PageContext, row: &KeyRow, owner: &str, ties: &Markup) -> Markup {
    let (t, key, now) = (ctx.texts(), &row.key, ctx.now());
    html! {
        section {
            dl {
                dt { (t.of("keys-state")) } dd { (state(t, key, now)) }
                dt { (t.of("keys-key")) } dd { code { (key.masked) } " " span.quiet { (t.of("keys-key-rest")) } }
                dt { (t.of("keys-owner")) } dd { a href=(ctx.at(&user::path(key.owner))) { (seen(owner)) } }
                @if !key.description.as_str().is_empty() { dt { (t.of("keys-description")) } dd.lines { (seen(key.description.as_str())) } }
                dt { (t.of("keys-expiration")) } dd { (expiration(t, key.expiration, now)) }
                dt { (t.of("keys-last-login")) } dd { @match key.last_login { Some(login) => (stamp(t, login.at, now)), None => span.quiet { (t.of("keys-login-never")) } } }
                @if let Some(login) = key.last_login { dt { (t.of("keys-last-login-ip")) } dd.mono { (login.from.to_string()) } }
                @if let Some(limit) = ctx.actor.request_limits().of_key(key.limit) { dt { (t.of("keys-requests")) } dd { (t.with("keys-requests-most", &[("count", limit.requests().into())])) } }
                dt { (t.of("keys-created")) } dd { (stamp(t, key.created, now)) }
                (ties)
            }
        }
        section {
            h2 { (t.of("keys-addresses")) }
            @if key.ip.allow.is_empty() && key.ip.deny.is_empty() { p { (t.of("keys-addresses-any")) } }
            @let surprises = surprises(t, &key.ip);
            @if !surprises.is_empty() { (note("warn", &html! { (surprises) })) }
            (entries(t, &t.of("keys-allow-list"), &key.ip.allow))
            (entries(t, &t.of("keys-deny-list"), &key.ip.deny))
        }
        (grant(t, &key.grant))
    }
}

/// Renders the permissions of the key.
fn grant(texts: &Texts, grant: &Grant) -> Markup {
    let names = |text, names: Vec<&str>| {
        let names = html! { @for (at, name) in names.iter().enumerate() { @if at > 0 { ", " } code { (name) } } };
        texts.markup(text, &[("names", names.into())])
    };
    let tables: Vec<&str> = grant.tables().iter().map(TableName::as_str).collect();
    let scopes: Vec<&str> = grant.scopes().iter().map(ScopeName::as_str).collect();
    html! {
        section {
            h2 { (texts.of("keys-form-grant")) }
            @if grant.is_all() { p { (texts.of("keys-grant-all")) } }
            @if grant.is_read_only() { p { (texts.of("keys-grant-read-only")) } }
            @if grant.is_confined() {
                p { (texts.of("keys-grant-only")) }
                ul {
                    @if !tables.is_empty() { li { (names("keys-grant-tables", tables)) } }
                    @if !scopes.is_empty() { li { (names("keys-grant-scopes", scopes)) } }
                }
            }
        }
    }
}

/// Renders the expiration in words, with the date and time.
fn expiration(texts: &Texts, expiration: Expiration, now: DateTime<Utc>) -> Markup {
    let words = expiry(texts, expiration, now);
    match expiration {
        Expiration::At(at) => {
            let parts = [("expiry", words.into()), ("time", moment(at).into())];
            texts.markup("keys-expiry-at", &parts)
        }
        Expiration::Never => html! { (words) },
    }
}

fn entries(texts: &Texts, title: &str, list: &IpList) -> Markup {
    let line = |entry: &IpEntry| {
        let net = html! { span.mono { (entry.net) } };
        if entry.enabled {
            net
        } else {
            texts.markup("keys-entry-disabled", &[("entry", net.into())])
        }
    };
    html! {
        @if !list.is_empty() {
            h3 { (title) }
            ul { @for entry in list.entries() { li { (line(entry)) } } }
        }
    }
}
