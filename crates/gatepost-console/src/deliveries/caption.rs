//! How many deliveries match, and which of them are shown.

use chrono::{DateTime, Utc};
use gatepost_storage::Order;
use maud::{Markup, html};

use super::asked::{Asked, Place};
use super::look::Look;
use super::total::{COUNTED, Total};
use crate::context::PageContext;
use crate::time::stamp;

/// The line above the table: `312 deliveries, showing 1–50`. Nothing where there are no rows, nor
/// where the look that counts is the one that is shown: that says itself how far it went.
pub(super) fn caption(ctx: &PageContext, asked: &Asked, look: &Look) -> Markup {
    let is_first = look.place == Place::First;
    let text = match look.total {
        Total::Exactly(0) | Total::AtLeast(0, _) => None,
        Total::Exactly(found) => Some(ranged(ctx, look, &exactly(ctx, asked, found))),
        Total::More => Some(ranged(ctx, look, &more(ctx, asked))),
        Total::AtLeast(..) | Total::Unknown if is_first && look.cut.is_some() => None,
        Total::AtLeast(found, to) => Some(at_least(ctx, asked, found, to)),
        Total::Unknown => {
            let count = look.rows.len();
            let said = || {
                ctx.texts()
                    .with("deliveries-count-page", &[("count", count.into())])
            };
            (count > 0).then(|| html! { (said()) })
        }
    };
    html! { @if let Some(text) = text { p.quiet.count { (text) } } }
}

/// With the rows that are shown, where these are the first of more.
fn ranged(ctx: &PageContext, look: &Look, found: &str) -> Markup {
    let is_range = look.place == Place::First && look.next.is_some() && look.newer == 0;
    let last = look.rows.len().into();
    let values = [("found", found.into()), ("first", 1.into()), ("last", last)];
    html! { @if is_range { (ctx.texts().with("lists-range", &values)) } @else { (found) } }
}

fn exactly(ctx: &PageContext, asked: &Asked, found: usize) -> String {
    let name = match asked.is_everything() {
        true => "deliveries-count",
        false => "deliveries-count-matching",
    };
    ctx.texts().with(name, &[("count", found.into())])
}

fn more(ctx: &PageContext, asked: &Asked) -> String {
    let name = match asked.is_everything() {
        true => "deliveries-count-more",
        false => "deliveries-count-matching-more",
    };
    ctx.texts().with(name, &[("count", COUNTED.into())])
}

/// Where a count had read enough.
fn at_least(
    ctx: &PageContext,
    asked: &Asked,
    found: usize,
    searched_to: Option<DateTime<Utc>>,
) -> Markup {
    let (t, count) = (ctx.texts(), u64::try_from(found).unwrap_or(u64::MAX));
    let name = match (searched_to, asked.order) {
        (None, _) => "deliveries-count-least",
        (Some(_), Order::Descending) => "deliveries-count-back",
        (Some(_), Order::Ascending) => "deliveries-count-up",
    };
    let time = searched_to.map(|at| ("time", stamp(t, at, ctx.now()).into()));
    let values: Vec<_> = [("count", count.into())].into_iter().chain(time).collect();
    t.markup(name, &values)
}
