//! Puts a new key in the place of another, after a question, and shows it once.

use apikey_core::{KeyId, Overlap};
use axum::extract::OriginalUri;
use axum::response::Response;
use gatepost_storage::keys::KeyRow;
use http::HeaderMap;
use maud::{Markup, html};

use super::create::{already_submitted, revealed};
use super::key_error::note_error;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, Section, page, refused, seen};
use crate::problems::Problems;
use crate::row_id::RowId;
use crate::tickets::Tickets;

/// How long the old key may go on, in seconds, and what that is called.
const OVERLAPS: [(&str, &str); 5] = [
    ("0", "keys-roll-now"),
    ("3600", "keys-roll-hour"),
    ("86400", "keys-roll-day"),
    ("604800", "keys-roll-week"),
    ("2592000", "keys-roll-month"),
];
const DEFAULT: &str = "86400";

pub(super) async fn confirm(ctx: PageContext, RowId(id): RowId) -> Result<Markup, Failure> {
    let row = ctx.actor.stored_key(KeyId(id)).await?;
    Ok(question(&ctx, &row, DEFAULT, &Problems::none()))
}

/// Rolls the key. The response is the list with the popup that shows the new one.
pub(super) async fn roll(
    ctx: PageContext,
    RowId(id): RowId,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
    sent: Form,
) -> Result<Response, Failure> {
    let row = ctx.actor.stored_key(KeyId(id)).await?;
    let (t, chosen) = (ctx.texts(), sent.text("overlap"));
    let mut problems = Problems::new(ctx.texts());
    let offered = OVERLAPS.iter().any(|(seconds, _)| *seconds == chosen);
    let overlap = chosen.parse().ok().filter(|_| offered);
    let Some(Ok(overlap)) = overlap.map(Overlap::seconds) else {
        problems.add("overlap", t.of("keys-problem-overlap"));
        return Ok(refused(question(&ctx, &row, chosen, &problems)));
    };
    let (tickets, ticket) = (&ctx.console.tickets, sent.text("ticket"));
    if !tickets.take(ticket) {
        return Ok(already_submitted(&ctx));
    }
    match ctx.actor.roll_key(row.id, overlap).await {
        Ok((new, secret)) => revealed(&ctx, &new, secret, &uri, &headers).await,
        Err(error) => {
            tickets.put_back(ticket);
            note_error(t, error, &mut problems)?;
            Ok(refused(question(&ctx, &row, chosen, &problems)))
        }
    }
}

fn question(ctx: &PageContext, row: &KeyRow, chosen: &str, problems: &Problems) -> Markup {
    let (t, name) = (ctx.texts(), seen(row.key.name.as_str()));
    let parts = [
        ("name", html! { strong { (name) } }.into()),
        ("hint", html! { code { (row.key.hint) } }.into()),
    ];
    let overlaps = OVERLAPS.map(|(seconds, text)| (seconds, t.of(text)));
    let overlaps = overlaps
        .each_ref()
        .map(|(seconds, text)| (*seconds, &**text));
    let body = html! {
        (layout::errors(t, problems))
        section {
            p { (t.markup("keys-roll-text", &parts)) }
            form method="post" {
                input type="hidden" name="csrf" value=(ctx.csrf);
                input type="hidden" name="ticket" value=(Tickets::issue());
                (layout::radios(problems, "overlap", &t.of("keys-roll-overlap"), &overlaps, chosen))
                div.submit {
                    button.primary { (t.of("keys-roll-button")) }
                    a.button href=(ctx.at(&format!("/keys/{}", row.id.0))) { (t.of("frame-cancel")) }
                }
            }
        }
    };
    page(ctx, Section::Keys, &t.of("keys-roll-title"), &body)
}
