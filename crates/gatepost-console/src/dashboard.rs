//! The first page: how webhooks, tasks and events hang together, and what was sent of late (SPEC 4
//! rule 3).

use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use gatepost_engine::Health;
use gatepost_keys::AccessLevel;
use gatepost_storage::Page;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::deliveries::{self, newest};
use super::events;
use super::failure::Failure;
use super::layout::{Section, page_with};
use super::session::Ctx;

/// Rows that are counted at the most.
const COUNTED: usize = 100;
/// Deliveries shown.
const SHOWN: u32 = 10;

pub(super) fn routes() -> Router {
    Router::new()
        .route("/", get(dashboard))
        .route("/live", get(live))
}

/// One of the three records: what it is for, how many there are, and how to make one.
struct Step {
    title: &'static str,
    text: &'static str,
    count: usize,
    path: &'static str,
    new: &'static str,
    here: bool,
}

async fn dashboard(ctx: Ctx) -> Result<Response, Failure> {
    let webhooks = ctx.webhooks(Page::newest(1), COUNTED + 1).await?.len();
    let tasks = ctx.tasks(None, Page::newest(1), COUNTED + 1).await?.len();
    let events = events::events(&ctx, None, COUNTED + 1).await?.0.len();
    let (sent, names) = newest(&ctx, deliveries::Wanted::default(), SHOWN).await?;
    let steps = [
        Step {
            title: "1. Webhook",
            text: "Where to send, and how: the address of another system, and what authenticates us to it.",
            count: webhooks,
            path: "/webhooks",
            new: "New Webhook",
            here: webhooks == 0,
        },
        Step {
            title: "2. Task",
            text: "What to send: a message with variables, through one webhook. Run it by hand to try it.",
            count: tasks,
            path: "/tasks",
            new: "New Task",
            here: webhooks > 0 && tasks == 0,
        },
        Step {
            title: "3. Event",
            text: "When to send: something happens to an object or to all that carry a tag, and the task runs.",
            count: events,
            path: "/events",
            new: "New Event",
            here: tasks > 0 && events == 0,
        },
    ];
    let actions = html! {
        @for step in &steps { a.button href={ (ctx.console.at(step.path)) "/new" } { (step.new) } }
    };
    let body = html! {
        p { "Three records put a webhook into action. One webhook may serve many tasks, and one task may be run by many events." }
        ol.steps { @for step in &steps { (card(&ctx, step)) } }
        @if let Some(health) = health(&ctx).await? {
            section data-live=(ctx.console.at("/live")) { h2 { "The queue" } (figures(&health)) }
        }
        section {
            div.title { h2 { "Latest deliveries" } div.actions { a href=(ctx.console.at("/deliveries")) { "All deliveries" } } }
            @if sent.is_empty() { p.quiet { "Nothing was sent yet. Once the three records are there, what an event sends stands here." } }
            @else { (deliveries::rows(&ctx, &sent, &names)) }
        }
    };
    Ok(page_with(&ctx, Section::Dashboard, "Tasks Dashboard", &actions, &body).into_response())
}

fn card(ctx: &Ctx, step: &Step) -> Markup {
    let count = if step.count > COUNTED {
        format!("{COUNTED}+")
    } else {
        step.count.to_string()
    };
    let path = ctx.console.at(step.path);
    html! {
        li.next[step.here] {
            h2 { (step.title) }
            p { (step.text) }
            div.actions {
                @if step.count == 0 {
                    @if step.here { a.button.primary href={ (path) "/new" } { "Start here: " (step.new) } } @else { span.quiet { "none yet" } }
                } @else { a href=(path) { span.count { (count) } span.unseen { " to look at" } } }
            }
        }
    }
}

/// The whole system's queue, for those who may see all of it.
async fn health(ctx: &Ctx) -> Result<Option<Health>, Failure> {
    if ctx.principal.access < AccessLevel::SystemAdministrator {
        return Ok(None);
    }
    Ok(Some(ctx.console.inner.engine.health().await?))
}

fn texts(health: &Health) -> [(&'static str, String); 4] {
    [
        ("queued", health.queued.to_string()),
        ("running", health.running.to_string()),
        ("in flight here", health.in_flight.to_string()),
        (
            "of late in error",
            format!("{:.0} %", health.error_rate * 100.0),
        ),
    ]
}

fn figures(health: &Health) -> Markup {
    html! {
        dl.figures { @for (name, text) in texts(health) { div { dd data-text=(name) { (text) } dt { (name) } } } }
        @if !health.recording { p.note.bad role="alert" { "Outcomes cannot be recorded at present." } }
    }
}

/// The figures, for the script.
async fn live(ctx: Ctx) -> Result<Json<Value>, Failure> {
    let health = health(&ctx).await?.ok_or(Failure::NotFound)?;
    let texts: serde_json::Map<String, Value> = texts(&health)
        .into_iter()
        .map(|(name, text)| (name.to_owned(), text.into()))
        .collect();
    Ok(Json(json!({"texts": texts})))
}
