//! The list of deliveries.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::Order;
use gatepost_storage::webhooks::DeliveryId;
use maud::{Markup, html};

use super::asked::{Asked, Place};
use super::caption::caption;
use super::form::form;
use super::look::{Look, ROWS};
use crate::context::PageContext;
use crate::delivery_list::Names;
use crate::delivery_rows::sorted_rows;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Live, Section, empty, live_parts, note, page, spoken};
use crate::texts::Texts;
use crate::time::stamp;

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Asked::parse(&Form::parse(query.unwrap_or_default().as_bytes()));
    let look = Look::read(&ctx, &asked, None).await?;
    let top = look.rows.first().map_or(DeliveryId(0), |row| row.id);
    let shown = Shown { asked, look, top };
    let body = html! {
        (form(&ctx, &shown.asked).await?)
        (shown.part(&ctx).await?)
        (shown.pager(&ctx))
    };
    let title = ctx.texts().of("deliveries-title");
    Ok(page(&ctx, Section::Deliveries, &title, &body).into_response())
}

/// The live part of the page.
pub(super) async fn live(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let asked = Asked::parse(&query);
    let top = query.text("top").parse().ok().map(DeliveryId);
    let look = Look::read(&ctx, &asked, top).await?;
    let first = look.rows.first().map_or(DeliveryId(0), |row| row.id);
    let top = top.unwrap_or(first);
    let shown = Shown { asked, look, top };
    Ok(live_parts(&ctx, &shown.part(&ctx).await?))
}

/// The rows of one page, which stay where they are while newer ones come.
struct Shown {
    asked: Asked,
    look: Look,
    /// The newest delivery when the page was opened; it matters where the newest are first.
    top: DeliveryId,
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
                section { (sorted_rows(ctx, &look.rows, &names, &self.heading(ctx))) }
                @if let Some(further) = self.further(ctx) { (note("", &further)) }
            }
            @else if let Some(further) = self.further(ctx) { (no_match_yet(t, &further)) }
            @else if look.newer == 0 { (self.nothing(ctx)) }
        };
        if self.asked.is_search() {
            // A search reads much: no page asks for it again by itself.
            return Ok(part);
        }
        let place = match (look.place, self.asked.order) {
            (Place::First, Order::Descending) => format!("top={}&", self.top),
            _ => String::new(),
        };
        let query = self.asked.query(look.place);
        let live = Live::at(ctx.at(&format!("/deliveries/live?{place}{query}")));
        Ok(live.part("deliveries", "", &part))
    }

    /// The heading of the column by which the list is sorted. A click turns the order round.
    fn heading(&self, ctx: &PageContext) -> Markup {
        let (sorted, mark) = match self.asked.order {
            Order::Ascending => ("ascending", "▲"),
            Order::Descending => ("descending", "▼"),
        };
        let label = ctx.texts().of("deliveries-queued");
        html! {
            th scope="col" aria-sort=(sorted) {
                a.sort href=(self.asked.turned(ctx)) { (label) " " span aria-hidden="true" { (mark) } }
            }
        }
    }

    /// How far a look went that was cut, and the link that goes on from there.
    fn further(&self, ctx: &PageContext) -> Option<Markup> {
        let (t, cut) = (ctx.texts(), self.look.cut?);
        let said = match self.asked.walk(cut.rest) {
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
            p { a.button rel=(rel) href=(self.asked.at(ctx, cut.rest)) { (t.of("deliveries-search-further")) } }
        })
    }

    /// Links to the pages beside this one; where the look was cut, its own link leads on.
    fn pager(&self, ctx: &PageContext) -> Markup {
        let (t, look) = (ctx.texts(), &self.look);
        let is_first = look.place == Place::First;
        let cut = look.cut.map(|cut| cut.rest);
        let to = |place: Option<Place>| {
            let place = place.filter(|place| Some(*place) != cut)?;
            Some(self.asked.at(ctx, place))
        };
        let (previous, next) = (to(look.previous), to(look.next));
        html! {
            @if !is_first || next.is_some() {
                nav.pager aria-label=(t.of("frame-pages")) {
                    @if !is_first { a.button href=(self.asked.at(ctx, Place::First)) { (t.of("frame-first-page")) } }
                    @if let Some(previous) = previous { a.button rel="prev" href=(previous) { (t.of("lists-previous-page")) } }
                    @if let Some(next) = next { a.button rel="next" href=(next) { (t.of("frame-next-page")) } }
                }
            }
        }
    }

    /// What is shown where there are no rows.
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

/// The link to the newest rows.
fn newer(texts: &Texts, count: usize) -> String {
    match count {
        count if count > ROWS => texts.with("deliveries-newer-many", &[("count", ROWS.into())]),
        count => texts.with("deliveries-newer", &[("count", count.into())]),
    }
}

/// What is shown where a look has read enough and found nothing.
fn no_match_yet(t: &Texts, further: &Markup) -> Markup {
    let title = t.of("deliveries-searching-title");
    empty(&title, &t.of("deliveries-searching-text"), further)
}
