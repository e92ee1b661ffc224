//! The list of deliveries.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use gatepost_storage::Order;
use gatepost_storage::webhooks::DeliveryId;
use maud::{Markup, html};

use super::asked::{Asked, Place, form, joined};
use super::caption::{beside, caption, further, heading};
use super::look::{Known, Look, ROWS, Total};
use crate::context::PageContext;
use crate::delivery_rows::rows;
use crate::failure::Failure;
use crate::form::Query;
use crate::layout::{Live, Section, empty, live_parts, note, page, pager, spoken};
use crate::names::Names;
use crate::texts::Texts;

/// The newest delivery when the page was opened, in the address of its live part.
const TOP: &str = "top";
/// That more deliveries matched then than are counted.
const MORE: &str = "more";
/// How long a page waits before it asks again where a count reads much.
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
        (form(&ctx, &shown.asked).await?)
        (shown.part(&ctx).await?)
        (pager(ctx.texts(), &beside(&ctx, &shown.asked, &shown.look)))
    };
    let title = ctx.texts().of("deliveries-title");
    Ok(page(&ctx, Section::Deliveries, &title, &body).into_response())
}

/// The live part of the page. Its address stays the same: it says what the page knew at first.
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

/// The rows of one page, which stay where they are while newer ones come.
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
            // A search reads much: no page asks for it again by itself.
            return Ok(part);
        }
        let live = Live::at(self.live(ctx));
        let live = match look.total {
            Total::More | Total::AtLeast(..) if !self.known.more => live.every(SELDOM),
            _ => live,
        };
        Ok(live.part("deliveries", "", &part))
    }

    /// The address of the live part.
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
