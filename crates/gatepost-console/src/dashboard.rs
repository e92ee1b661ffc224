//! The first page: how webhooks, tasks and events work together, and the latest deliveries (SPEC 4
//! rule 3).

use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use gatepost_manage::Health;
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{EventQuery, TaskQuery, WebhookQuery};
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::context::PageContext;
use crate::delivery_list::{DeliveryFilter, Names, newest};
use crate::failure::Failure;
use crate::layout::{Section, page_with};
use crate::paging::newest_rows;
use crate::time::distance;
use crate::{delivery_rows, limits};

/// At most this number of rows is counted.
const COUNTED: usize = 100;
/// One more is read, to see whether there are more.
const READ: u32 = 101;
/// How old the figures of the queue are: they are counted now and then, for all processes.
const COUNTED_AT: &str = "counted";
/// Deliveries shown.
const SHOWN: u32 = 10;

pub(crate) fn routes() -> Router {
    Router::new()
        .route("/", get(dashboard))
        .route("/live", get(live))
}

/// One of the three records: its purpose, its number, and where to create one.
struct Step {
    title: &'static str,
    text: &'static str,
    count: usize,
    path: &'static str,
    new: &'static str,
    here: bool,
}

async fn dashboard(ctx: PageContext) -> Result<Response, Failure> {
    let [webhooks, tasks, events] = counts(&ctx).await?;
    let sent = newest(&ctx, DeliveryFilter::default(), SHOWN).await?.rows;
    let names = Names::of(&ctx, &sent).await?;
    let steps = [
        Step {
            title: "1. Webhook",
            text: "Where and how to send: the address of another system, and the credentials for it.",
            count: webhooks,
            path: "/webhooks",
            new: "New webhook",
            here: webhooks == 0,
        },
        Step {
            title: "2. Task",
            text: "What to send: a message with variables, sent through one webhook. Run it manually to try it.",
            count: tasks,
            path: "/tasks",
            new: "New task",
            here: webhooks > 0 && tasks == 0,
        },
        Step {
            title: "3. Event",
            text: "When to send: the task runs when something happens to an object, or to any object with a tag.",
            count: events,
            path: "/events",
            new: "New event",
            here: tasks > 0 && events == 0,
        },
    ];
    let actions = html! {
        @for step in &steps { a.button href={ (ctx.at(step.path)) "/new" } { (step.new) } }
    };
    let body = html! {
        p { "Three records work together: a webhook, a task and an event. One webhook can serve many tasks, and many events can run the same task." }
        ol.steps { @for step in &steps { (card(&ctx, step)) } }
        (limits::section(&ctx).await?)
        @if let Some(health) = ctx.actor.health().await? {
            section data-live=(ctx.at("/live")) { h2 { "Queue" } (figures(&ctx, &health)) }
        }
        section {
            div.title { h2 { "Latest deliveries" } div.actions { a href=(ctx.at("/deliveries")) { "All deliveries" } } }
            @if sent.is_empty() { p.quiet { "No deliveries yet. When all three records exist, events send messages and their deliveries are listed here." } }
            @else { (delivery_rows::rows(&ctx, &sent, &names)) }
        }
    };
    Ok(page_with(&ctx, Section::Dashboard, "Tasks dashboard", &actions, &body).into_response())
}

/// How many webhooks, tasks and events the caller may see, as far as they are counted.
async fn counts(ctx: &PageContext) -> Result<[usize; 3], Failure> {
    let webhooks = WebhookQuery {
        scope: Scope::All,
        name: None,
        page: newest_rows(READ),
    };
    let tasks = TaskQuery {
        scope: Scope::All,
        creator: None,
        webhook: None,
        name: None,
        page: newest_rows(READ),
    };
    let events = EventQuery {
        scope: Scope::All,
        task: None,
        event_type: None,
        page: newest_rows(READ),
    };
    Ok([
        ctx.actor.webhooks(&webhooks).await?.rows.len(),
        ctx.actor.tasks(&tasks).await?.rows.len(),
        ctx.actor.events(&events).await?.rows.len(),
    ])
}

fn card(ctx: &PageContext, step: &Step) -> Markup {
    let count = if step.count > COUNTED {
        format!("{COUNTED}+")
    } else {
        step.count.to_string()
    };
    let path = ctx.at(step.path);
    html! {
        li.next[step.here] {
            h2 { (step.title) }
            p { (step.text) }
            div.actions {
                @if step.count == 0 {
                    @if step.here { a.button.primary href={ (path) "/new" } { "Start here: " (step.new) } } @else { span.quiet { "None yet" } }
                } @else { a href=(path) { span.count { (count) } span.unseen { " (view)" } } }
            }
        }
    }
}

/// The figures of the whole system's queue, for those who may see all of it.
fn texts(health: &Health) -> [(&'static str, String); 4] {
    [
        ("queued", health.queue.queued.to_string()),
        ("running", health.queue.running.to_string()),
        ("in flight on this node", health.in_flight.to_string()),
        (
            "recent failures",
            format!("{:.0}%", health.error_rate * 100.0),
        ),
    ]
}

fn figures(ctx: &PageContext, health: &Health) -> Markup {
    let counted = distance(health.queue.counted, ctx.now());
    html! {
        dl.figures { @for (name, text) in texts(health) { div { dd data-text=(name) { (text) } dt { (name) } } } }
        p.quiet { "Queued and running: counted " span data-text=(COUNTED_AT) { (counted) } "." }
        @if !health.recording { p.note.bad role="alert" { "Outcomes cannot be recorded at the moment." } }
    }
}

/// The figures, for the script.
async fn live(ctx: PageContext) -> Result<Json<Value>, Failure> {
    let health = ctx.actor.health().await?.ok_or(Failure::NotFound)?;
    let counted = distance(health.queue.counted, ctx.now());
    let texts: serde_json::Map<String, Value> = texts(&health)
        .into_iter()
        .chain([(COUNTED_AT, counted)])
        .map(|(name, text)| (name.to_owned(), text.into()))
        .collect();
    Ok(Json(json!({"texts": texts})))
}
