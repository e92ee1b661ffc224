//! The list of deliveries, with the number of matches, the range that is shown, and links to other
//! pages.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use gatepost_storage::Order;
use gatepost_storage::webhooks::{DeliveryId, DeliveryState};
use maud::{Markup, html};

use super::asked::{Asked, Place, form, joined};
use super::look::{COUNT, COUNTED, Known, Look, ROWS, Total};
use crate::charts::ranges;
use crate::context::PageContext;
use crate::delivery_rows::rows;
use crate::failure::Failure;
use crate::form::Query;
use crate::layout::{
    self, Beside, Live, Section, empty, live_parts, note, page, pager, sorted_heading, spoken,
};
use crate::names::Names;
use crate::texts::Texts;
use crate::time::stamp;

/// The newest delivery when the page was opened, in the address of its live part.
const TOP: &str = "top";
/// Set if more deliveries matched than are counted when the page was opened.
const MORE: &str = "more";
/// The states, with those first that need attention.
const STATES: [DeliveryState; 4] = [
    DeliveryState::Error,
    DeliveryState::Queued,
    DeliveryState::Running,
    DeliveryState::Sent,
];
/// The states with a count: the others have too many deliveries, or change too quickly.
const COUNTED_STATES: [DeliveryState; 2] = [DeliveryState::Error, DeliveryState::Queued];
/// The interval of a page's refreshes if a count reads much.
const SELDOM: Duration = Duration::from_secs(30);

pub(super) async fn list(ctx: PageContext, Query(query): Query) -> Result<Response, Failure> {
    let asked = Asked::parse(&query);
    let look = Look::read(&ctx, &asked, Known::default()).await?;
    let known = Known {
        top: None,
        more: look.total == Total::More && asked.is_lasting(),
    };
    let shown = Shown { asked, look, known };
    let body = html! {
        (states(&ctx, &shown.asked).await?)
        (form(&ctx, &shown.asked, &query).await?)
        (shown.part(&ctx).await?)
        (pager(ctx.texts(), &beside(&ctx, &shown.asked, &shown.look)))
    };
    let title = ctx.texts().of("deliveries-title");
    Ok(page(&ctx, Section::Deliveries, &title, &body).into_response())
}

/// Renders links to the deliveries in each state, with the number of those that need attention.
async fn states(ctx: &PageContext, asked: &Asked) -> Result<Markup, Failure> {
    let t = ctx.texts();
    let mut links = vec![(None, t.of("deliveries-filter-all").into_owned())];
    for state in STATES {
        let mut word = layout::state(t, state).0.into_owned();
        if COUNTED_STATES.contains(&state) && !asked.is_search() {
            let those = asked.in_state(Some(state));
            let count = those
                .filter
                .found(ctx, those.page(Place::First, COUNT))
                .await?;
            word = match count.rows.len() {
                0 => word,
                many if many > COUNTED || count.next.is_some() => {
                    format!("{word} {}+", t.number(many.min(COUNTED) as u64))
                }
                many => format!("{word} {}", t.number(many as u64)),
            };
        }
        links.push((Some(state), word));
    }
    let links = links.into_iter().map(|(state, word)| {
        let is_shown = asked.filter.state() == state;
        (asked.in_state(state).at(ctx, Place::First), word, is_shown)
    });
    Ok(ranges(&t.of("deliveries-state"), links))
}

/// Returns the live part of the page. Its address stays the same, with the state when the page was
/// opened.
pub(super) async fn live(ctx: PageContext, Query(query): Query) -> Result<Response, Failure> {
    let asked = Asked::parse(&query);
    let known = Known {
        top: query.text(TOP).parse().ok().map(DeliveryId),
        more: !query.text(MORE).is_empty() && asked.is_lasting(),
    };
    let look = Look::read(&ctx, &asked, known).await?;
    let shown = Shown { asked, look, known };
    Ok(live_parts(&ctx, &shown.part(&ctx).await?))
}

/// The rows of one page, which keep their positions while newer ones arrive.
struct Shown {
    asked: Asked,
    look: Look,
    known: Known,
}

impl Shown {
    async fn part(&self, ctx: &PageContext) -> Result<Markup, Failure> {
        let (t, look) = (ctx.texts(), &self.look);
        let names = Names::of(ctx, &look.rows).await?;
        let newer = newer(t, look.newer);
        let part = html! {
            @if look.newer > 0 { p { a.button href=(self.asked.at(ctx, Place::First)) { (newer) } (spoken(&newer)) } }
            (caption(ctx, &self.asked, look))
            @if !look.rows.is_empty() {
                section { (rows(ctx, &look.rows, &names, Some(&heading(ctx, &self.asked)))) }
                @if let Some(further) = further(ctx, &self.asked, look) { (note("", &further)) }
            }
            @else if let Some(further) = further(ctx, &self.asked, look) { (no_match_yet(t, &further)) }
            @else if look.newer == 0 { (self.nothing(ctx)) }
        };
        if self.asked.is_search() {
            // A search reads much, so no page repeats it by itself.
            return Ok(part);
        }
        let live = Live::at(self.live(ctx));
        let live = match look.total {
            Total::More | Total::AtLeast(..) if !self.known.more => live.every(SELDOM),
            _ => live,
        };
        Ok(live.part("deliveries", "", &part))
    }

    /// Returns the address of the live part.
    fn live(&self, ctx: &PageContext) -> String {
        let mut parts = vec![self.asked.query(self.look.place)];
        if (self.look.place, self.asked.order) == (Place::First, Order::Descending) {
            let first = self.look.rows.first().map(|row| row.id);
            let top = self.known.top.or(first).unwrap_or(DeliveryId(0));
            parts.push(format!("{TOP}={top}"));
        }
        if self.known.more {
            parts.push(format!("{MORE}=1"));
        }
        ctx.at(&format!("/deliveries/live?{}", joined(parts)))
    }

    /// Renders the text for a page without rows.
    fn nothing(&self, ctx: &PageContext) -> Markup {
        let t = ctx.texts();
        if self.asked.is_everything() && self.look.place == Place::First {
            let how = html! { a.button href=(ctx.at("/")) { (t.of("deliveries-none-link")) } };
            let title = t.of("deliveries-none-title");
            return empty(&title, &t.of("deliveries-none-text"), &how);
        }
        let all =
            html! { a.button href=(ctx.at("/deliveries")) { (t.of("deliveries-no-match-link")) } };
        let title = t.of("deliveries-no-match-title");
        empty(&title, &t.of("deliveries-no-match-text"), &all)
    }
}

/// Returns the text of the link to the newest rows.
fn newer(texts: &Texts, count: usize) -> String {
    match count {
        count if count > ROWS => texts.with("deliveries-newer-many", &[("count", ROWS.into())]),
        count => texts.with("deliveries-newer", &[("count", count.into())]),
    }
}

/// Renders the text for a search that reached its limit and found nothing.
fn no_match_yet(t: &Texts, further: &Markup) -> Markup {
    let title = t.of("deliveries-searching-title");
    empty(&title, &t.of("deliveries-searching-text"), further)
}

/// Renders the line above the table: `312 deliveries, showing 1–50`. Nothing if there are no rows,
/// or if the count comes from the search that is shown, which itself says how far it went.
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

/// Adds the range of the rows that are shown, if they are the first of more.
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

/// Renders a count that reached its limit.
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

/// Renders the heading of the column by which the list is sorted. A click reverses the order.
pub(super) fn heading(ctx: &PageContext, asked: &Asked) -> Markup {
    let label = ctx.texts().of("deliveries-queued");
    sorted_heading(&label, Some(asked.order), &asked.turned(ctx))
}

/// Renders how far a search went that reached its limit, and the link that continues it.
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

/// Returns the previous and the next page; if the search reached its limit, its own link continues
/// it.
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
