//! The page of a key: all that is known of it, but for the key itself.

use apikey_core::{Expiration, IpList, KeyId};
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::keys::KeyRow;
use maud::{Markup, html};

use super::review::{expiry, state, surprises};
use super::table::user_name;
use super::usage::{Range, Usage};
use super::user;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, note, page_with, seen};
use crate::row_id::RowId;
use crate::time::{moment, stamp, stamp_or};

pub(super) async fn show(
    ctx: PageContext,
    RowId(id): RowId,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let row = ctx.actor.key(KeyId(id)).await?;
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let range = Range::parse(query.text("days"));
    let usage = Usage::of(&ctx, row.id, range).await?;
    let owner = user_name(&ctx, row.key.owner).await;
    let at = |what: &str| ctx.at(&format!("/keys/{id}/{what}"));
    let actions = html! {
        @if !row.key.expiration.is_expired(ctx.now()) { a.button href=(at("edit")) { "Edit" } }
        a.button href=(at("delete")) { "Delete" }
    };
    let body = html! {
        (facts(&ctx, &row, &owner))
        (usage.markup(&ctx.at(&format!("/keys/{id}"))))
    };
    let title = row.key.name.as_str();
    Ok(page_with(&ctx, Section::Keys, title, &actions, &body).into_response())
}

fn facts(ctx: &PageContext, row: &KeyRow, owner: &str) -> Markup {
    let (key, now) = (&row.key, ctx.now());
    html! {
        p.trail { a href=(ctx.at("/keys")) { "API keys" } }
        section {
            dl {
                dt { "State" } dd { (state(key, now)) }
                dt { "Key" } dd { code { (key.hint) } " " span.quiet { "The rest was shown once, when the key was created." } }
                dt { "Owner" } dd { a href=(ctx.at(&user::path(key.owner))) { (seen(owner)) } }
                @if !key.description.as_str().is_empty() { dt { "Description" } dd.lines { (seen(key.description.as_str())) } }
                dt { "Expiration" } dd {
                    (expiry(key.expiration, now))
                    @if let Expiration::At(at) = key.expiration { " (" (moment(at)) ")" }
                }
                dt { "Last logged in" } dd { (stamp_or(key.last_login.map(|login| login.at), now, "never")) }
                @if let Some(login) = key.last_login { dt { "Last logged in IP" } dd.mono { (login.from.to_string()) } }
                dt { "Created" } dd { (stamp(key.created, now)) }
            }
        }
        section {
            h2 { "Allowed addresses" }
            @if key.ip.allow.is_empty() && key.ip.deny.is_empty() { p { "The key can be used from any address." } }
            @let surprises = surprises(&key.ip);
            @if !surprises.is_empty() { (note("warn", &html! { (surprises) })) }
            (entries("IP allow list", &key.ip.allow))
            (entries("IP deny list", &key.ip.deny))
        }
    }
}

fn entries(title: &str, list: &IpList) -> Markup {
    html! {
        @if !list.is_empty() {
            h3 { (title) }
            ul { @for entry in list.entries() { li { span.mono { (entry.net) } @if !entry.enabled { " (disabled)" } } } }
        }
    }
}
