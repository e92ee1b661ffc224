//! The way from one page of the list of deliveries to others, and to the other order.

use gatepost_storage::Order;
use maud::{Markup, html};

use super::asked::{Asked, Place};
use super::look::Look;
use crate::context::PageContext;
use crate::layout::{Beside, sorted_heading};
use crate::time::stamp;

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
