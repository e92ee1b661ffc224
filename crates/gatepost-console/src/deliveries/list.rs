//! The list of deliveries.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Delivery, DeliveryId};
use maud::{Markup, html};

use super::filter::{form, parse, to_query};
use crate::context::PageContext;
use crate::delivery_list::{DeliveryFilter, Names, newest};
use crate::delivery_rows::rows;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Live, Section, empty, live_parts, more, note, page, spoken};
use crate::texts::Texts;
use crate::time::stamp;

/// Rows on a page.
const ROWS: usize = 50;
/// One more row is read, to see whether there is another page.
const READ: u32 = 51;

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let filter = parse(&query);
    let shown = Shown::read(&ctx, filter, None).await?;
    let body = html! {
        (form(&ctx, &shown.filter).await?)
        (shown.part(&ctx).await?)
        (more(ctx.texts(), &ctx.at("/deliveries"), &to_query(&shown.filter), shown.filter.after.is_none(), shown.next.map(|id| id.0).filter(|_| !shown.is_cut())))
    };
    let title = ctx.texts().of("deliveries-title");
    Ok(page(&ctx, Section::Deliveries, &title, &body).into_response())
}

/// The live part of the page.
pub(super) async fn live(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let top = query.text("top").parse().ok().map(DeliveryId);
    let shown = Shown::read(&ctx, parse(&query), top).await?;
    Ok(live_parts(&ctx, &shown.part(&ctx).await?))
}

/// The rows of one page, which stay where they are while newer ones come.
struct Shown {
    filter: DeliveryFilter,
    /// The newest delivery when the page was opened; on later pages it does not matter.
    top: Option<DeliveryId>,
    rows: Vec<Delivery>,
    next: Option<DeliveryId>,
    /// How far back a look went that stopped before the page was full.
    searched_to: Option<DateTime<Utc>>,
    /// How many came since.
    newer: usize,
}

impl Shown {
    /// Reads the rows at once. With a `top` those up to it, and how many are above it.
    async fn read(
        ctx: &PageContext,
        filter: DeliveryFilter,
        top: Option<DeliveryId>,
    ) -> Result<Self, Failure> {
        let top = top.filter(|_| filter.after.is_none());
        let mut newer = 0;
        let mut from = filter.clone();
        if let Some(top) = top {
            let newest = newest(ctx, filter.clone(), READ).await?.rows;
            newer = newest.iter().filter(|row| row.id > top).count();
            from.after = Some(DeliveryId(top.0.saturating_add(1)));
        }
        let found = newest(ctx, from, READ).await?;
        let (mut rows, mut next) = (found.rows, found.next);
        if rows.len() > ROWS {
            rows.truncate(ROWS);
            next = rows.last().map(|row| row.id);
        }
        let newest_row = rows.first().map_or(DeliveryId(0), |row| row.id);
        Ok(Self {
            filter,
            top: Some(top.unwrap_or(newest_row)),
            rows,
            next,
            searched_to: found.searched_to,
            newer,
        })
    }

    async fn part(&self, ctx: &PageContext) -> Result<Markup, Failure> {
        let filter_query = to_query(&self.filter);
        let is_first = self.filter.after.is_none();
        let place = match (self.filter.after, self.top) {
            (Some(after), _) => format!("after={after}"),
            (None, Some(top)) => format!("top={top}"),
            (None, None) => String::new(),
        };
        let names = Names::of(ctx, &self.rows).await?;
        let part = html! {
            @if self.newer > 0 { p { a.button href=(ctx.at(&format!("/deliveries?{filter_query}"))) { (newer(ctx.texts(), self.newer)) } (spoken(&newer(ctx.texts(), self.newer))) } }
            @if !self.rows.is_empty() {
                section { (rows(ctx, &self.rows, &names)) }
                @if let Some(further) = self.further(ctx) { (note("", &further)) }
            }
            @else if let Some(further) = self.further(ctx) { (no_match_yet(ctx.texts(), &further)) }
            @else if self.newer == 0 { (nothing(ctx, filter_query.is_empty() && is_first)) }
        };
        if self.filter.text.is_some() {
            // A search reads much: no page asks for it again by itself.
            return Ok(part);
        }
        let live = Live::at(ctx.at(&format!("/deliveries/live?{place}&{filter_query}")));
        Ok(live.part("deliveries", "", &part))
    }

    /// Whether a look has read enough before it had a full page.
    fn is_cut(&self) -> bool {
        self.rows.len() < ROWS && self.next.is_some()
    }

    /// How far back a look went that was cut, and the link that goes on from there.
    fn further(&self, ctx: &PageContext) -> Option<Markup> {
        let (t, after) = (ctx.texts(), self.next.filter(|_| self.is_cut())?);
        let query = to_query(&self.filter);
        let to = ctx.at(&format!("/deliveries?{query}&after={after}"));
        let time = self.searched_to.map(|at| stamp(t, at, ctx.now()));
        Some(html! {
            @if let Some(time) = time { p { (t.markup("deliveries-searched", &[("time", time.into())])) } }
            p { a.button rel="next" href=(to) { (t.of("deliveries-search-further")) } }
        })
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

/// What is shown where there are no rows.
fn nothing(ctx: &PageContext, unfiltered: bool) -> Markup {
    let t = ctx.texts();
    if unfiltered {
        let how = html! { a.button href=(ctx.at("/")) { (t.of("deliveries-none-link")) } };
        let title = t.of("deliveries-none-title");
        return empty(&title, &t.of("deliveries-none-text"), &how);
    }
    let all =
        html! { a.button href=(ctx.at("/deliveries")) { (t.of("deliveries-no-match-link")) } };
    let title = t.of("deliveries-no-match-title");
    empty(&title, &t.of("deliveries-no-match-text"), &all)
}
