//! What is said around the list of deliveries: how many match, which of them are shown, and the way
//! to others.

use chrono::{DateTime, Utc};
use gatepost_storage::Order;
use maud::{Markup, html};

use super::asked::{Asked, Place};
use super::look::{COUNTED, Look, Total};
use crate::context::PageContext;
use crate::layout::{Beside, sorted_heading};
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

/// The heading of the column by which the list is sorted. A click turns the order round.
pub(super) fn heading(ctx: &PageContext, asked: &Asked) -> Markup {
    let label = ctx.texts().of("deliveries-queued");
    sorted_heading(&label, Some(asked.order), &asked.turned(ctx))
}

/// How far a look went that was cut, and the link that goes on from there.
pub(super) fn further(ctx: &PageContext, asked: &Asked, look: &Look) -> Option<Markup> {
    let (t, cut) = (ctx.texts(), look.cut?);
    let said = match asked.walk(cut.rest) {
        Order::Descending => "deliveries-searched",
        Order::Ascending => "deliveries-searched-up",
    };
    let rel = match cut.rest {
        Place::Back(_) => "prev",
        Place::First | Place::After(_) => "next",
    };
    let time = cut.searched_to.map(|at| stamp(t, at, ctx.now()));
    Some(html! {
        @if let Some(time) = time { p { (t.markup(said, &[("time", time.into())])) } }
        p { a.button rel=(rel) href=(asked.at(ctx, cut.rest)) { (t.of("deliveries-search-further")) } }
    })
}

/// The pages beside this one; where the look was cut, its own link leads on.
pub(super) fn beside(ctx: &PageContext, asked: &Asked, look: &Look) -> Beside {
    let cut = look.cut.map(|cut| cut.rest);
    let to = |place: Option<Place>| {
        let place = place.filter(|place| Some(*place) != cut)?;
        Some(asked.at(ctx, place))
    };
    Beside {
        first: (look.place != Place::First).then(|| asked.at(ctx, Place::First)),
        previous: to(look.previous),
        next: to(look.next),
    }
}
