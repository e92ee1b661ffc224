//! What fails, at the top of the first page.

use chrono::TimeDelta;
use maud::{Markup, html};

use super::counts::{day, grouped};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{note, seen};

/// Webhooks that are named.
const NAMED: usize = 5;
/// The hour that has begun and the one before.
const NOW: TimeDelta = TimeDelta::hours(2);

/// The webhooks of the caller of which nothing succeeds; nothing where all is well.
pub(crate) async fn failing(ctx: &PageContext) -> Result<Markup, Failure> {
    let (_, before) = day(ctx);
    let found = ctx.actor.failing_webhooks(before - NOW, before, NAMED);
    let found = found.await?;
    if found.webhooks.is_empty() {
        return Ok(html! {});
    }
    let one = found.webhooks.len() == 1 && !found.more;
    Ok(note(
        "bad",
        &html! {
            strong { @if one { "A webhook is failing." } @else { "Webhooks are failing." } }
            " Since the hour before this one, no attempt has succeeded:"
            ul {
                @for (row, count) in &found.webhooks {
                    @let failures = count.failed.saturating_add(count.retried);
                    li {
                        a href=(ctx.at(&format!("/webhooks/{}", row.id))) { (seen(row.value.name.as_str())) }
                        ": " (grouped(failures)) @if failures == 1 { " attempt failed" } @else { " attempts failed" }
                    }
                }
                @if found.more { li { "There may be more. " a href=(ctx.at("/webhooks")) { "Go to webhooks" } } }
            }
        },
    ))
}
