//! The keys that were found in a text, and what was done to each.

use std::borrow::Cow;

use gatepost_manage::{LeakedKey, OnLeak};
use maud::{Markup, html};

use crate::context::PageContext;
use crate::keys::table::{USERS, unnamed};
use crate::layout::seen;
use crate::platform_names::PlatformNames;
use crate::texts::Texts;

/// Keys that the page shows, of all that were found.
const SHOWN: usize = 100;

/// The first of them, each with its owner and what was done.
pub(super) async fn table(ctx: &PageContext, found: &[LeakedKey]) -> Markup {
    let t = ctx.texts();
    let first = found.iter().take(SHOWN);
    let owners = first
        .clone()
        .map(|leaked| (USERS.to_owned(), leaked.row.key.owner.into()));
    let owners = PlatformNames::of(ctx, owners).await;
    html! {
        div.scroll {
            table {
                thead { tr {
                    th scope="col" { (t.of("keys-name")) }
                    th scope="col" { (t.of("keys-owner")) }
                    th scope="col" { (t.of("keys-leaked-done")) }
                } }
                tbody { @for leaked in first { (line(ctx, leaked, &owners)) } }
            }
        }
        @if found.len() > SHOWN { p.quiet { (t.with("keys-leaked-shown", &[("count", SHOWN.into())])) } }
    }
}

fn line(ctx: &PageContext, leaked: &LeakedKey, owners: &PlatformNames) -> Markup {
    let (t, row) = (ctx.texts(), &leaked.row);
    let (name, user) = (seen(row.key.name.as_str()), row.key.owner);
    let owner = match owners.get(USERS, user.into()) {
        Some(name) => name.to_owned(),
        None => unnamed(ctx, user),
    };
    html! {
        tr {
            td data-label=(t.of("keys-name")) { div {
                @if leaked.done == OnLeak::Delete { strong { (name) } }
                @else { a href=(ctx.at(&format!("/keys/{}", row.id.0))) { strong { (name) } } }
                br;
                code.quiet.nowrap { (row.key.hint) }
            } }
            td data-label=(t.of("keys-owner")) { a href=(ctx.at(&format!("/users/{user}"))) { (seen(&owner)) } }
            td data-label=(t.of("keys-leaked-done")) { (done(t, leaked.done)) }
        }
    }
}

fn done(t: &Texts, done: OnLeak) -> Cow<'_, str> {
    t.of(match done {
        OnLeak::Report => "keys-leaked-reported",
        OnLeak::Disable => "keys-leaked-disabled",
        OnLeak::Delete => "keys-leaked-deleted",
    })
}
