//! The list of deliveries, with its filter.

use axum::Json;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_manage::ManageError;
use gatepost_storage::webhooks::{DeliveryId, DeliveryState};
use maud::{Markup, html};
use serde_json::{Map, Value, json};
use webhook_model::WebhookId;

use crate::choices::webhook_choices;
use crate::context::PageContext;
use crate::delivery_list::{DeliveryFilter, newest, webhook_names};
use crate::delivery_rows::{rows, states};
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, Section, empty, more, page};
use crate::paging::one_page;
use crate::problems::Problems;

/// Rows on a page.
const ROWS: usize = 50;
/// One more row is read, to see whether there is another page.
const READ: u32 = 51;
const STATES: [&str; 4] = ["queued", "running", "sent", "error"];
/// How an attempt may end without success, as the log keeps it.
const CLASSES: [&str; 11] = [
    "build",
    "connect",
    "dns",
    "protocol",
    "proxy",
    "refused",
    "reset",
    "status",
    "timeout",
    "tls",
    "too_large",
];

fn parse_filter(query: &Form) -> DeliveryFilter {
    DeliveryFilter {
        webhook: query.key("webhook").map(WebhookId),
        state: DeliveryState::from_word(query.text("state")),
        class: CLASSES
            .into_iter()
            .find(|class| *class == query.text("class")),
        after: query.key("after").map(DeliveryId),
    }
}

/// The filter as a query string, without the page.
fn to_query(filter: DeliveryFilter) -> String {
    let webhook = filter.webhook.map(|id| format!("webhook={id}"));
    let state = filter
        .state
        .map(|state| format!("state={}", state.as_str()));
    let class = filter.class.map(|class| format!("class={class}"));
    [webhook, state, class]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("&")
}

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let filter = parse_filter(&query);
    let listed = newest(&ctx, filter, READ).await?;
    let (found, next) = one_page(listed, ROWS, |delivery| delivery.id);
    let names = webhook_names(&ctx, &found).await?;
    let filter_query = to_query(filter);
    let ids: Vec<String> = found
        .iter()
        .map(|delivery| delivery.id.to_string())
        .collect();
    let live = format!("/deliveries/live?ids={}&{filter_query}", ids.join(","));
    let is_first = filter.after.is_none();
    let body = html! {
        (filter_form(&ctx, filter).await?)
        @if found.is_empty() && is_first && next.is_none() {
            @if filter_query.is_empty() {
                (empty("No deliveries yet", "This page lists what webhooks have sent, the responses, and what is waiting to be retried. Run a task manually, or wait for an event.", &html! { a.button href=(ctx.at("/")) { "How webhooks, tasks and events work together" } }))
            } @else {
                (empty("No such deliveries", "No delivery matches the filter.", &html! { a.button href=(ctx.at("/deliveries")) { "All deliveries" } }))
            }
        } @else {
            div data-live=(ctx.at(&live)) {
                @if is_first { p role="status" { a href=(ctx.at(&format!("/deliveries?{filter_query}"))) data-text="newer" data-hide hidden {} } }
                section { (rows(&ctx, &found, &names)) }
            }
            (more(&ctx.at("/deliveries"), &filter_query, is_first, next.map(|id| id.0)))
        }
    };
    Ok(page(&ctx, Section::Deliveries, "Deliveries", &body).into_response())
}

async fn filter_form(ctx: &PageContext, filter: DeliveryFilter) -> Result<Markup, Failure> {
    let mut webhooks = webhook_choices(ctx).await?;
    let problems = Problems::default();
    let webhook = filter.webhook.map_or_else(String::new, |id| id.to_string());
    let mut states = vec![(String::new(), "All".to_owned())];
    states.extend(STATES.map(|word| (word.to_owned(), word.to_owned())));
    let state = filter.state.map_or("", DeliveryState::as_str);
    let mut classes = vec![(String::new(), "All".to_owned())];
    classes.extend(CLASSES.map(|word| (word.to_owned(), word.to_owned())));
    let class = filter.class.unwrap_or_default();
    let picker = if webhooks.is_empty() {
        layout::picker(&problems, "webhook", "Webhook", &webhooks, &webhook, "")
    } else {
        webhooks.insert(0, (String::new(), "All".to_owned()));
        layout::select(
            &problems, "webhook", "Webhook", &webhooks, &webhook, "", true,
        )
    };
    Ok(html! {
        form.filter method="get" role="search" aria-label="Filter" {
            (picker)
            (layout::select(&problems, "state", "State", &states, state, "", true))
            (layout::select(&problems, "class", "Last failure", &classes, class, "", true))
            button { "Filter" }
        }
    })
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
    let top = shown.iter().map(|delivery| delivery.id).max();
    let found = newest(&ctx, parse_filter(&query), READ).await?.rows;
    let newer = found
        .iter()
        .take(ROWS)
        .filter(|delivery| Some(delivery.id) > top)
        .count();
    let mut texts: Map<String, Value> = Map::new();
    for delivery in &shown {
        texts.insert(
            format!("info-{}", delivery.id),
            delivery.status_info.clone().into(),
        );
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
