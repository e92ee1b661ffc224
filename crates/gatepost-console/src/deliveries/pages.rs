//! The way from one page of the list of deliveries to others, and to the other order.

use gatepost_storage::Order;
use maud::{Markup, html};

use super::asked::{Asked, Place};
use super::look::Look;
use crate::context::PageContext;
use crate::time::stamp;

/// The heading of the column by which the list is sorted. A click turns the order round.
pub(super) fn heading(ctx: &PageContext, asked: &Asked) -> Markup {
    let (sorted, mark) = match asked.order {
        Order::Ascending => ("ascending", "▲"),
        Order::Descending => ("descending", "▼"),
    };
    let label = ctx.texts().of("deliveries-queued");
    html! {
        th scope="col" aria-sort=(sorted) {
            a.sort href=(asked.turned(ctx)) { (label) " " span aria-hidden="true" { (mark) } }
        }
    }
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

/// Links to the pages beside this one; where the look was cut, its own link leads on.
pub(super) fn pager(ctx: &PageContext, asked: &Asked, look: &Look) -> Markup {
    let t = ctx.texts();
    let is_first = look.place == Place::First;
    let cut = look.cut.map(|cut| cut.rest);
    let to = |place: Option<Place>| {
        let place = place.filter(|place| Some(*place) != cut)?;
        Some(asked.at(ctx, place))
    };
    let (previous, next) = (to(look.previous), to(look.next));
    html! {
        @if !is_first || next.is_some() {
            nav.pager aria-label=(t.of("frame-pages")) {
                @if !is_first { a.button href=(asked.at(ctx, Place::First)) { (t.of("frame-first-page")) } }
                @if let Some(previous) = previous { a.button rel="prev" href=(previous) { (t.of("lists-previous-page")) } }
                @if let Some(next) = next { a.button rel="next" href=(next) { (t.of("frame-next-page")) } }
            }
        }
    }
}
