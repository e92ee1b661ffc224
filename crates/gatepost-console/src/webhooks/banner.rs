//! What fails, at the top of the first page.

use chrono::TimeDelta;
use maud::{Markup, html};

use super::counts::day;
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
    let t = ctx.texts();
    // Where there are more than are named, there are at least two.
    let count = found.webhooks.len() + usize::from(found.more);
    Ok(note(
        "bad",
        &html! {
            strong { (t.with("webhooks-failing-title", &[("count", count.into())])) }
            " " (t.of("webhooks-failing"))
            ul {
                @for (row, count) in &found.webhooks {
                    @let failures = count.failed.saturating_add(count.retried);
                    @let webhook = html! { a href=(ctx.at(&format!("/webhooks/{}", row.id))) { (seen(row.value.name.as_str())) } };
                    li { (t.markup("webhooks-failing-attempts", &[("webhook", webhook.into()), ("count", failures.into())])) }
                }
                @if found.more {
                    @let link = html! { a href=(ctx.at("/webhooks")) { (t.of("webhooks-failing-link")) } };
                    li { (t.markup("webhooks-failing-more", &[("link", link.into())])) }
                }
            }
        },
    ))
}
