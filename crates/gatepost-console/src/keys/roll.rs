//! The page that ends a key after a confirmation: it disables the key, or replaces it with a new
//! one, which is shown once.

use apikey_core::{KeyEdit, KeyId, Overlap};
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_storage::keys::KeyRow;
use maud::{Markup, html};

use super::resource::{Keys, about, revealed};
use crate::context::PageContext;
use crate::crud::{already_submitted, note_error};
use crate::csrf::Tickets;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, Section, page, refused};
use crate::problems::Problems;
use crate::row_id::RowId;

/// The times for which the old key may stay valid, in seconds, with the names of their texts.
const OVERLAPS: [(&str, &str); 5] = [
    ("0", "keys-roll-now"),
    ("3600", "keys-roll-hour"),
    ("86400", "keys-roll-day"),
    ("604800", "keys-roll-week"),
    ("2592000", "keys-roll-month"),
];
const DEFAULT: &str = "86400";

pub(super) async fn ask(ctx: PageContext, RowId(id): RowId) -> Result<Markup, Failure> {
    let row = ctx.actor.stored_key(KeyId(id)).await?;
    Ok(question(&ctx, &row, DEFAULT, &Problems::none()))
}

/// Rolls the key, and returns the list with the popup that shows the new one.
pub(super) async fn roll(
    ctx: PageContext,
    RowId(id): RowId,
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
        return Ok(already_submitted::<Keys>(&ctx));
    }
    match ctx.actor.roll_key(row.id, overlap).await {
        Ok((new, secret)) => revealed(&ctx, &new, secret).await,
        Err(error) => {
            tickets.put_back(ticket);
            note_error::<Keys>(&ctx, error, &sent, &mut problems)?;
            Ok(refused(question(&ctx, &row, chosen, &problems)))
        }
    }
}

fn question(ctx: &PageContext, row: &KeyRow, chosen: &str, problems: &Problems) -> Markup {
    let t = ctx.texts();
    let overlaps = OVERLAPS.map(|(seconds, text)| (seconds, t.of(text)));
    let overlaps = overlaps
        .each_ref()
        .map(|(seconds, text)| (*seconds, &**text));
    let body = html! {
        (layout::errors(t, "keys", problems, "frame-nothing-saved"))
        section {
            (about(ctx, row, "keys-roll-text"))
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

pub(super) async fn ask_disable(ctx: PageContext, RowId(id): RowId) -> Result<Markup, Failure> {
    let row = ctx.actor.stored_key(KeyId(id)).await?;
    let (t, text) = (ctx.texts(), about(&ctx, &row, "keys-disable-text"));
    let (button, back) = (t.of("keys-disable-button"), ctx.at(&format!("/keys/{id}")));
    let body = layout::confirm(&ctx, &text, &button, &back, &html! {}, None);
    Ok(page(
        &ctx,
        Section::Keys,
        &t.of("keys-disable-title"),
        &body,
    ))
}

pub(super) async fn disable(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    switch(&ctx, id, false).await
}

pub(super) async fn enable(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    switch(&ctx, id, true).await
}

async fn switch(ctx: &PageContext, id: i64, enabled: bool) -> Result<Response, Failure> {
    let edit = KeyEdit::switch(enabled);
    ctx.actor.edit_key(KeyId(id), edit).await?;
    let done = if enabled { "enabled" } else { "disabled" };
    let path = ctx.at(&format!("/keys/{id}?done={done}"));
    Ok(Redirect::to(&path).into_response())
}
