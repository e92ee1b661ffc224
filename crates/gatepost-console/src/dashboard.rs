//! The first page: how webhooks, tasks and events work together, and the latest deliveries (SPEC 4
//! rule 3).

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gatepost_manage::Health;
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{EventQuery, TaskQuery, WebhookQuery};
use maud::{Markup, html};

use crate::context::PageContext;
use crate::delivery_list::{DeliveryFilter, Names, newest};
use crate::failure::Failure;
use crate::layout::{LIVE, Live, Section, live_parts, page_with};
use crate::paging::newest_rows;
use crate::time::away;
use crate::webhooks::banner;
use crate::{delivery_rows, limits};

/// At most this number of rows is counted.
const COUNTED: usize = 100;
/// One more is read, to see whether there are more.
const READ: u32 = 101;
/// Deliveries shown.
const SHOWN: u32 = 10;

pub(crate) fn routes() -> Router {
    Router::new()
        .route("/", get(dashboard))
        .route(LIVE, get(live))
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
    let failing = failing(&ctx).await?;
    let parts = live_sections(&ctx).await?;
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
        (failing)
        p { "Three records work together: a webhook, a task and an event. One webhook can serve many tasks, and many events can run the same task." }
        ol.steps { @for step in &steps { (card(&ctx, step)) } }
        (parts)
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

/// What changes by itself: limits, the queue, the latest deliveries.
async fn live_sections(ctx: &PageContext) -> Result<Markup, Failure> {
    let limits = limits::section(ctx).await?;
    let sent = newest(ctx, DeliveryFilter::default(), SHOWN).await?.rows;
    let names = Names::of(ctx, &sent).await?;
    let health = ctx.actor.health().await?;
    let live = Live::at(ctx.at(LIVE));
    Ok(html! {
        (live.part("limits", "", &limits))
        @if let Some(health) = health { (live.section("queue", &figures(ctx, &health))) }
        (live.section("latest", &html! {
            div.title { h2 { "Latest deliveries" } div.actions { a href=(ctx.at("/deliveries")) { "All deliveries" } } }
            @if sent.is_empty() { p.quiet { "No deliveries yet. When all three records exist, events send messages and their deliveries are listed here." } }
            @else { (delivery_rows::rows(ctx, &sent, &names)) }
        }))
    })
}

/// What fails, above everything else.
async fn failing(ctx: &PageContext) -> Result<Markup, Failure> {
    let failing = banner::failing(ctx).await?;
    Ok(Live::at(ctx.at(LIVE)).part("failing", "", &failing))
}

fn figures(ctx: &PageContext, health: &Health) -> Markup {
    html! {
        h2 { "Queue" }
        dl.figures { @for (name, text) in texts(health) { div { dd { (text) } dt { (name) } } } }
        // The figures of the queue are counted now and then, for all processes.
        p.quiet { "Queued and running: counted " (away(ctx.texts(), health.queue.counted, ctx.now())) "." }
        @if !health.recording { p.note.bad role="alert" { "Outcomes cannot be recorded at the moment." } }
    }
}

/// The live parts of the page.
async fn live(ctx: PageContext) -> Result<Response, Failure> {
    let (failing, parts) = (failing(&ctx).await?, live_sections(&ctx).await?);
    Ok(live_parts(&ctx, &html! { (failing) (parts) }))
}
