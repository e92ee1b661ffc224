//! The list of deliveries, with its filter.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryState};
use maud::{Markup, html};
use serde_json::{Map, Value, json};
use webhook_model::WebhookId;

use super::read::{Wanted, newest};
use crate::failure::Failure;
use crate::form::{Form, Problems};
use crate::layout::{self, Section, empty, more, page};
use crate::session::Ctx;
use crate::time::stamp;

/// Rows of a page.
const ROWS: u32 = 50;
const STATES: [&str; 4] = ["queued", "running", "sent", "error"];

fn wanted(asked: &Form) -> Wanted {
    Wanted {
        webhook: asked.key("webhook").map(WebhookId),
        state: DeliveryState::from_word(asked.text("state")),
        after: asked.key("after").map(DeliveryId),
    }
}

/// The filter as it stands in addresses, without the page.
fn filter(wanted: Wanted) -> String {
    let webhook = wanted.webhook.map(|id| format!("webhook={id}"));
    let state = wanted
        .state
        .map(|state| format!("state={}", state.as_str()));
    [webhook, state]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("&")
}

pub(super) async fn list(ctx: Ctx, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let wanted = wanted(&asked);
    let (mut found, names) = newest(&ctx, wanted, ROWS + 1).await?;
    let full = found.len() > ROWS as usize;
    found.truncate(ROWS as usize);
    let next = found.last().filter(|_| full).map(|delivery| delivery.id.0);
    let filter = filter(wanted);
    let ids: Vec<String> = found
        .iter()
        .map(|delivery| delivery.id.to_string())
        .collect();
    let live = format!("/deliveries/live?ids={}&{filter}", ids.join(","));
    let is_first = wanted.after.is_none();
    let body = html! {
        (form(&ctx, wanted).await?)
        @if found.is_empty() && is_first {
            @if filter.is_empty() {
                (empty("Nothing was sent yet", "What webhooks send stands here: when, what came back, and what is tried again. Run a task by hand, or wait for an event.", &html! { a.button href=(ctx.console.at("/")) { "How webhooks, tasks and events hang together" } }))
            } @else {
                (empty("No such deliveries", "None is in this state, or none goes through this webhook.", &html! { a.button href=(ctx.console.at("/deliveries")) { "All deliveries" } }))
            }
        } @else {
            div data-live=(ctx.console.at(&live)) {
                @if is_first { p role="status" { a href=(ctx.console.at(&format!("/deliveries?{filter}"))) data-text="newer" data-hide hidden {} } }
                section { (rows(&ctx, &found, &names)) }
            }
            (more(&ctx.console.at("/deliveries"), &filter, is_first, next))
        }
    };
    Ok(page(&ctx, Section::Deliveries, "Deliveries", &body).into_response())
}

async fn form(ctx: &Ctx, wanted: Wanted) -> Result<Markup, Failure> {
    let mut webhooks = ctx.webhook_choices().await?;
    let problems = Problems::default();
    let webhook = wanted.webhook.map_or_else(String::new, |id| id.to_string());
    let mut states = vec![(String::new(), "All".to_owned())];
    states.extend(STATES.map(|word| (word.to_owned(), word.to_owned())));
    let state = wanted.state.map_or("", DeliveryState::as_str);
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
            button { "Filter" }
        }
    })
}

/// The table itself; other pages show it as well.
pub(crate) fn rows(
    ctx: &Ctx,
    deliveries: &[Delivery],
    names: &BTreeMap<WebhookId, String>,
) -> Markup {
    let now = ctx.console.now();
    html! {
        div.scroll { table {
            thead { tr {
                th scope="col" { "Delivery" } th scope="col" { "Webhook" } th scope="col" { "State" }
                th scope="col" { "Result" } th scope="col" { "Attempts" } th scope="col" { "Queued" } th scope="col" { "Next attempt" }
            } }
            tbody { @for delivery in deliveries {
                @let id = delivery.id.to_string();
                @let (state, kind) = layout::state(delivery.state);
                tr {
                    td data-label="Delivery" { a href=(ctx.console.at(&format!("/deliveries/{id}"))) { "#" (id) } }
                    td data-label="Webhook" { a href=(ctx.console.at(&format!("/webhooks/{}", delivery.webhook))) { (names.get(&delivery.webhook).map_or("–", String::as_str)) } }
                    td data-label="State" { span { span class={ "badge " (kind) } data-state=(id) { (state) } } }
                    td data-label="Result" { span data-text={ "info-" (id) } { (delivery.status_info) } }
                    td data-label="Attempts" { span data-text={ "attempts-" (id) } { (delivery.attempts) } }
                    td data-label="Queued" { div { (stamp(delivery.created, now)) } }
                    td data-label="Next attempt" { div { @if delivery.state == DeliveryState::Queued { (stamp(delivery.due, now)) } @else { span.quiet { "–" } } } }
                }
            } }
        } }
    }
}

/// The states of these rows, for the script.
pub(crate) fn states(deliveries: &[Delivery]) -> Value {
    let states = deliveries.iter().map(|delivery| {
        let (state, kind) = layout::state(delivery.state);
        (delivery.id.to_string(), json!([state, kind]))
    });
    Value::Object(states.collect())
}

/// The states of the rows that are shown, and how many newer ones there are.
pub(super) async fn live(ctx: Ctx, RawQuery(query): RawQuery) -> Result<Json<Value>, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let ids = asked
        .text("ids")
        .split(',')
        .filter_map(|id| id.parse().ok());
    let mut shown = Vec::new();
    for id in ids.take(ROWS as usize) {
        match ctx.delivery(id).await {
            Ok((delivery, _)) => shown.push(delivery),
            Err(Failure::NotFound) => {}
            Err(failure) => return Err(failure),
        }
    }
    let top = shown.iter().map(|delivery| delivery.id).max();
    let (found, _) = newest(&ctx, wanted(&asked), ROWS).await?;
    let newer = found
        .iter()
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
