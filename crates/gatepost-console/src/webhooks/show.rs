//! The page of one webhook.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Delivery, TaskQuery};
use gatepost_storage::{Row, Scope};
use maud::{Markup, html};
use serde_json::{Value, json};
use webhook_model::{Activity, Message, Webhook, WebhookId};

use super::chart::Figures;
use super::counts::{grouped, of_all};
use super::dropped;
use super::form::MASK;
use super::labels::{activity, authorization};
use super::send_test::test_form;
use super::signing_controls::signing_controls;
use crate::context::PageContext;
use crate::delivery_list::{DeliveryFilter, Names, newest};
use crate::delivery_rows::{self, states};
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, Section, note, one_button, page_with, seen};
use crate::paging::newest_rows;
use crate::row_id::RowId;
use crate::time::stamp;

/// How many deliveries and tasks are shown.
const SHOWN: u32 = 10;

pub(super) async fn show(
    ctx: PageContext,
    RowId(id): RowId,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let done = match Form::parse(query.unwrap_or_default().as_bytes()).text("done") {
        "created" => {
            "The webhook was created. Send a test, then create a task to define what it sends."
        }
        "saved" => "The webhook was saved. The change applies from the next attempt.",
        "unsigned" => "Deliveries are no longer signed.",
        "paused" => "The webhook is paused. Deliveries are queued and not sent.",
        "resumed" => "The webhook is active again and sends its queued deliveries.",
        _ => "",
    };
    let before = html! { @if !done.is_empty() { (note("good", &html! { (done) })) } };
    Ok(page_of(&ctx, &row, &before).await?.into_response())
}

/// The figures and states, for the script.
pub(super) async fn live(ctx: PageContext, RowId(id): RowId) -> Result<Json<Value>, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let figures = Figures::of(&ctx, row.id).await?;
    let texts: BTreeMap<_, _> = figures.texts().into();
    let latest = latest(&ctx, row.id).await?;
    Ok(Json(json!({"texts": texts, "states": states(&latest)})))
}

async fn latest(ctx: &PageContext, webhook: WebhookId) -> Result<Vec<Delivery>, Failure> {
    let filter = DeliveryFilter {
        webhook: Some(webhook),
        ..DeliveryFilter::default()
    };
    Ok(newest(ctx, filter, SHOWN).await?.rows)
}

/// The page of a webhook, with something before its content.
pub(super) async fn page_of(
    ctx: &PageContext,
    row: &Row<WebhookId, Webhook>,
    before: &Markup,
) -> Result<Markup, Failure> {
    let webhook = &row.value;
    let path = ctx.at(&format!("/webhooks/{}", row.id));
    let at = |what: &str| format!("{path}/{what}");
    let now = ctx.now();
    let figures = Figures::of(ctx, row.id).await?;
    let all = of_all(ctx, row.id).await?;
    let latest = latest(ctx, row.id).await?;
    let query = TaskQuery {
        scope: Scope::All,
        creator: None,
        webhook: Some(row.id),
        name: None,
        page: newest_rows(SHOWN),
    };
    let tasks = ctx.actor.tasks(&query).await?.rows;
    let dropped = dropped::of(ctx, row.id).await?;
    let names = Names::of(ctx, &latest).await?;
    let actions = html! {
        a.button href=(at("edit")) { "Edit" }
        @match webhook.activity {
            Activity::Active => (one_button(ctx, &at("do/pause"), "", "Pause", "")),
            Activity::Paused | Activity::Disabled => (one_button(ctx, &at("do/resume"), "primary", "Resume", "")),
        }
        a.button href=(at("delete")) { "Delete" }
    };
    let body = html! {
        (before)
        div.two {
            section { h2 { "Configuration" } (details(row, now)) }
            section data-live=(at("live")) { h2 { "Last 24 hours" }
                (figures.markup(now))
                p.quiet { "In all: " (grouped(all.sent)) " sent, " (grouped(all.failed)) " failed. Counted also where the delivery is not listed any more." }
            }
        }
        div.two {
            section id="test" { h2 { "Send a test" } (test_form(ctx, &path, Message::default().as_str())) }
            section {
                h2 { "Tasks" }
                @if tasks.is_empty() { p.quiet { "None yet. A task defines what this webhook sends." } }
                @else { ul { @for task in &tasks { li { a href=(ctx.at(&format!("/tasks/{}/edit", task.id))) { (seen(task.task.name.as_str())) } } } } }
                p { a.button href=(ctx.at(&format!("/tasks/new?webhook={}", row.id))) { "New task for this webhook" } }
                h2 { "Signing" }
                (signing_controls(ctx, row, &path))
            }
        }
        (dropped::section(ctx, &dropped))
        section data-live=(at("live")) {
            div.title { h2 { "Deliveries" } div.actions {
                a.button.small href=(ctx.at(&format!("/deliveries/replay?webhook={}", row.id))) { "Replay…" }
                a href=(ctx.at(&format!("/deliveries?webhook={}", row.id))) { "All deliveries" }
            } }
            @if latest.is_empty() { p.quiet { "No deliveries yet." } }
            @else { (delivery_rows::rows(ctx, &latest, &names)) }
        }
    };
    Ok(page_with(
        ctx,
        Section::Webhooks,
        webhook.name.as_str(),
        &actions,
        &body,
    ))
}

fn details(row: &Row<WebhookId, Webhook>, now: DateTime<Utc>) -> Markup {
    let webhook = &row.value;
    html! {
        dl {
            dt { "State" } dd { (activity(webhook.activity)) }
            dt { "URL" } dd { code { (webhook.url.as_str()) } }
            dt { "Authorization" } dd { (authorization(webhook.authorization.kind())) }
            dt { "Headers" } dd {
                @if webhook.headers.is_empty() { span.quiet { "none" } }
                @for header in webhook.headers.iter() {
                    div.mono { (header.name()) ": " @if header.is_sensitive() { (MASK) } @else { (header.value()) } }
                }
            }
            dt { "Timeout" } dd { (webhook.timeout.as_secs()) " seconds" }
            dt { "Retries" } dd { (webhook.retries.get()) }
            @if let Some(rate) = webhook.rate { dt { "Rate" } dd { (rate.get()) " requests per second" } }
            dt { "Certificates" } dd { @if webhook.allow_insecure { (layout::badge("warn", "not verified")) } @else { "verified" } }
            dt { "Created" } dd { (stamp(row.created, now)) }
        }
    }
}
