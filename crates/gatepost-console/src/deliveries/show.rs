//! The page of one delivery, with its attempts.

use std::time::Duration;

use axum::Json;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::webhooks::{AttemptRecord, Delivery, DeliveryState};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::table::states;
use crate::access::Id;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, Section, note, one_button, page_with};
use crate::session::Ctx;
use crate::time::{span, stamp, stamp_or};

pub(super) async fn show(
    ctx: Ctx,
    Id(id): Id,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let (delivery, webhook) = ctx.delivery(id).await?;
    let attempts = ctx.console.inner.engine.attempts(delivery.id).await?;
    let task = match delivery.task {
        Some(task) => ctx.task(task.0).await.ok(),
        None => None,
    };
    let said = match Form::parse(query.unwrap_or_default().as_bytes()).text("done") {
        "replayed" => "The delivery was queued again: the same bytes under the same id.",
        "cancelled" => "The delivery was cancelled.",
        _ => "",
    };
    let at = |what: &str| ctx.console.at(&format!("/deliveries/{id}/{what}"));
    let now = ctx.console.now();
    let (state, kind) = layout::state(delivery.state);
    let actions = html! {
        @if delivery.state.is_final() { (one_button(&ctx, &at("replay"), "", "Replay", "")) }
        @if delivery.state == DeliveryState::Queued { (one_button(&ctx, &at("cancel"), "danger", "Cancel", "")) }
    };
    let body = html! {
        @if !said.is_empty() { (note("good", &html! { (said) })) }
        div data-live=(at("live")) {
            section {
                dl {
                    dt { "State" } dd { span class={ "badge " (kind) } data-state=(id) { (state) } " " span data-text="info" { (delivery.status_info) } }
                    dt { "Webhook" } dd { a href=(ctx.console.at(&format!("/webhooks/{}", webhook.id))) { (webhook.value.name) } }
                    dt { "Made by" } dd {
                        @match (&task, delivery.task) {
                            (Some(task), _) => { "the task " a href=(ctx.console.at(&format!("/tasks/{}/edit", task.id))) { (task.task.name) } }
                            (None, Some(_)) => "a task that is gone",
                            (None, None) => "hand",
                        }
                    }
                    dt { "Id that the target sees" } dd { code { (delivery.message_id) } }
                    dt { "Queued" } dd { (stamp(delivery.created, now)) }
                    dt { "Last attempt" } dd { (stamp_or(delivery.last_attempt, now, "none")) }
                    @if delivery.state == DeliveryState::Queued { dt { "Next attempt" } dd { (stamp(delivery.due, now)) } }
                }
                p role="status" { a href="" data-text="more" data-hide hidden {} }
            }
        }
        section { h2 { "Message" } pre tabindex="0" { (delivery.body) } }
        section {
            h2 { "Attempts" }
            @if attempts.is_empty() { p.quiet { "None yet." } }
            @else { (table(&ctx, &attempts)) }
        }
    };
    let title = format!("Delivery #{id}");
    Ok(page_with(&ctx, Section::Deliveries, &title, &actions, &body).into_response())
}

/// The state, for the script.
pub(super) async fn live(ctx: Ctx, Id(id): Id) -> Result<Json<Value>, Failure> {
    let (delivery, _) = ctx.delivery(id).await?;
    let more = match delivery.state {
        DeliveryState::Running => "An attempt is being made: show it",
        _ => "",
    };
    let texts = json!({"info": delivery.status_info, "more": more});
    Ok(Json(
        json!({"texts": texts, "states": states(std::slice::from_ref::<Delivery>(&delivery))}),
    ))
}

fn table(ctx: &Ctx, attempts: &[AttemptRecord]) -> Markup {
    let now = ctx.console.now();
    let longest = attempts.iter().map(|attempt| attempt.duration).max();
    let longest = longest.unwrap_or_default().max(Duration::from_micros(1));
    html! {
        div.scroll { table {
            thead { tr {
                th scope="col" { "Attempt" } th scope="col" { "Began" } th scope="col" { "Result" }
                th scope="col" { "Status" } th scope="col" { "Time" } th scope="col" { "Answer" }
            } }
            tbody { @for attempt in attempts {
                tr {
                    td data-label="Attempt" { span { (attempt.number) } }
                    td data-label="Began" { div { (stamp(attempt.started, now)) } }
                    td data-label="Result" { span { @if attempt.class == "ok" { (layout::badge("good", "ok")) } @else { (layout::badge("bad", &attempt.class)) } " " (attempt.info) } }
                    td data-label="Status" { span { @match attempt.status { Some(status) => (status), None => "–" } } }
                    td data-label="Time" { div { (span(attempt.duration)) (bar(attempt, longest)) } }
                    td data-label="Answer" { div { (answer(attempt)) } }
                }
            } }
        } }
        ul.legend {
            @for (class, _, name) in PARTS { li { svg viewBox="0 0 12 12" aria-hidden="true" { rect class=(class) width="12" height="12" {} } (name) } }
        }
    }
}

const PARTS: [(&str, usize, &str); 5] = [
    ("p0", 0, "name look-up"),
    ("p1", 1, "connect"),
    ("p2", 2, "TLS"),
    ("p3", 3, "waiting for the answer"),
    ("p4", 4, "reading it"),
];

/// The parts of an attempt as a bar, on the scale of the longest.
fn bar(attempt: &AttemptRecord, longest: Duration) -> Markup {
    let phases = attempt.phases;
    let ends = [
        phases.dns,
        phases.connect,
        phases.tls,
        phases.first_byte,
        Some(attempt.duration),
    ];
    let place = |at: Duration| at.as_secs_f64() / longest.as_secs_f64() * 200.0;
    let mut from = Duration::ZERO;
    let mut said = Vec::new();
    let mut parts = Vec::new();
    for (class, at, name) in PARTS {
        let Some(end) = ends.get(at).copied().flatten() else {
            continue;
        };
        let took = end.saturating_sub(from);
        said.push(format!("{name} {}", span(took)));
        parts.push((class, place(from), place(took)));
        from = from.max(end);
    }
    html! {
        svg.bar viewBox="0 0 200 12" preserveAspectRatio="none" role="img" aria-label=(said.join(", ")) {
            @for (class, x, width) in parts { rect class=(class) x=(format!("{x:.1}")) width=(format!("{width:.1}")) height="12" {} }
        }
    }
}

/// What the target answered, as far as it was kept.
fn answer(attempt: &AttemptRecord) -> Markup {
    let head = String::from_utf8_lossy(&attempt.response_head);
    let body = String::from_utf8_lossy(&attempt.response_body);
    html! {
        @if head.is_empty() && body.is_empty() { span.quiet { "none" } }
        @else {
            details {
                summary { "Show " span.unseen { "the answer of attempt " (attempt.number) } }
                @if !head.is_empty() { pre tabindex="0" { (head) } }
                @if !body.is_empty() { pre tabindex="0" { (body) } }
                @if attempt.truncated { p.quiet { "More came than is kept." } }
            }
        }
    }
}
