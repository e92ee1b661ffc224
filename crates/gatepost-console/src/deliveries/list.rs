//! The list of deliveries.

use axum::Json;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_manage::ManageError;
use gatepost_storage::webhooks::{Delivery, DeliveryId};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::filter::{form, parse, to_query};
use crate::context::PageContext;
use crate::delivery_list::{Names, newest};
use crate::delivery_rows::{rows, states};
use crate::delivery_standing::{inactive, standing};
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, empty, more, page};
use crate::paging::one_page;

/// Rows on a page.
const ROWS: usize = 50;
/// One more row is read, to see whether there is another page.
const READ: u32 = 51;

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let filter = parse(&query);
    let listed = newest(&ctx, filter.clone(), READ).await?;
    let (found, next) = one_page(listed, ROWS, |delivery| delivery.id);
    let filter_query = to_query(&filter);
    let ids: Vec<String> = found
        .iter()
        .map(|delivery| delivery.id.to_string())
        .collect();
    let live = format!("/deliveries/live?ids={}&{filter_query}", ids.join(","));
    let is_first = filter.after.is_none();
    let body = html! {
        (form(&ctx, &filter).await?)
        @if found.is_empty() {
            (nothing(&ctx, filter_query.is_empty() && is_first, next.is_some()))
        } @else {
            div data-live=(ctx.at(&live)) {
                @if is_first { p role="status" { a href=(ctx.at(&format!("/deliveries?{filter_query}"))) data-text="newer" data-hide hidden {} } }
                section { (section(&ctx, &found).await?) }
            }
        }
        (more(&ctx.at("/deliveries"), &filter_query, is_first, next.map(|id| id.0)))
    };
    Ok(page(&ctx, Section::Deliveries, "Deliveries", &body).into_response())
}

/// The rows.
async fn section(ctx: &PageContext, found: &[Delivery]) -> Result<Markup, Failure> {
    let names = Names::of(ctx, found).await?;
    Ok(rows(ctx, found, &names))
}

/// What is shown where there are no rows. A look that has read enough goes on with the next page.
fn nothing(ctx: &PageContext, unfiltered: bool, goes_on: bool) -> Markup {
    if goes_on {
        let text = "None of the newest 5,000 deliveries that were looked through matches the filter. The next page looks further back; a time range makes it quicker.";
        return empty("None found yet", text, &html! {});
    }
    if unfiltered {
        let how = html! { a.button href=(ctx.at("/")) { "How webhooks, tasks and events work together" } };
        return empty(
            "No deliveries yet",
            "This page lists what webhooks have sent, the responses, and what is waiting to be retried. Run a task manually, or wait for an event.",
            &how,
        );
    }
    let all = html! { a.button href=(ctx.at("/deliveries")) { "All deliveries" } };
    empty(
        "No such deliveries",
        "No delivery matches the filter.",
        &all,
    )
}

/// The states of the listed rows, and the number of newer ones.
pub(super) async fn live(
    ctx: PageContext,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Failure> {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let ids = query
        .text("ids")
        .split(',')
        .filter_map(|id| id.parse().ok());
    let mut shown = Vec::new();
    for id in ids.take(ROWS) {
        match ctx.actor.delivery(DeliveryId(id)).await {
            Ok((delivery, _)) => shown.push(delivery),
            Err(ManageError::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let names = Names::of(&ctx, &shown).await?;
    let top = shown.iter().map(|delivery| delivery.id).max();
    let found = newest(&ctx, parse(&query), READ).await?.rows;
    let newer = found
        .iter()
        .take(ROWS)
        .filter(|delivery| Some(delivery.id) > top)
        .count();
    let mut texts: Map<String, Value> = Map::new();
    for delivery in &shown {
        let webhook = names.webhooks.get(&delivery.webhook);
        let held = webhook.and_then(inactive);
        let words = standing(delivery, webhook, held.as_ref(), ctx.now());
        texts.insert(format!("info-{}", delivery.id), words.into());
        texts.insert(
            format!("attempts-{}", delivery.id),
            delivery.attempts.to_string().into(),
        );
    }
    let newer = match newer {
        0 => String::new(),
        1 => "Show 1 newer delivery".into(),
        count => format!("Show {count} newer deliveries"),
    };
    texts.insert("newer".into(), newer.into());
    Ok(Json(json!({"texts": texts, "states": states(&shown)})))
}
