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
use crate::delivery_filter::DeliveryFilter;
use crate::delivery_names::Names;
use crate::failure::Failure;
use crate::layout::{LIVE, Live, Section, live_parts, page_with};
use crate::paging::newest_rows;
use crate::texts::Texts;
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

/// One of the three records: its purpose, its number, and where to create one. Texts are by name.
struct Step {
    title: &'static str,
    text: &'static str,
    count: usize,
    /// What screen readers say of the number.
    view: &'static str,
    path: &'static str,
    new: &'static str,
    /// The button, where this step comes first.
    start: &'static str,
    here: bool,
}

async fn dashboard(ctx: PageContext) -> Result<Response, Failure> {
    let [webhooks, tasks, events] = counts(&ctx).await?;
    let failing = failing(&ctx).await?;
    let parts = live_sections(&ctx).await?;
    let steps = [
        Step {
            title: "home-webhook-title",
            text: "home-webhook-text",
            count: webhooks,
            view: "home-webhook-view",
            path: "/webhooks",
            new: "home-webhook-new",
            start: "home-webhook-start",
            here: webhooks == 0,
        },
        Step {
            title: "home-task-title",
            text: "home-task-text",
            count: tasks,
            view: "home-task-view",
            path: "/tasks",
            new: "home-task-new",
            start: "home-task-start",
            here: webhooks > 0 && tasks == 0,
        },
        Step {
            title: "home-event-title",
            text: "home-event-text",
            count: events,
            view: "home-event-view",
            path: "/events",
            new: "home-event-new",
            start: "home-event-start",
            here: tasks > 0 && events == 0,
        },
    ];
    let t = ctx.texts();
    let actions = html! {
        @for step in &steps { a.button href={ (ctx.at(step.path)) "/new" } { (t.of(step.new)) } }
    };
    let body = html! {
        (failing)
        p { (t.of("home-text")) }
        ol.steps { @for step in &steps { (card(&ctx, step)) } }
        (parts)
    };
    Ok(page_with(
        &ctx,
        Section::Dashboard,
        &t.of("home-title"),
        &actions,
        &body,
    )
    .into_response())
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
    let t = ctx.texts();
    let count = if step.count > COUNTED {
        t.with("home-more", &[("count", COUNTED.into())])
    } else {
        step.count.to_string()
    };
    let path = ctx.at(step.path);
    let view = t.with(step.view, &[("count", count.as_str().into())]);
    html! {
        li.next[step.here] {
            h2 { (t.of(step.title)) }
            p { (t.of(step.text)) }
            div.actions {
                @if step.count == 0 {
                    @if step.here { a.button.primary href={ (path) "/new" } { (t.of(step.start)) } } @else { span.quiet { (t.of("home-none")) } }
                } @else { a href=(path) aria-label=(view) { span.count { (count) } } }
            }
        }
    }
}

/// The figures of the whole system's queue, for those who may see all of it, by the names of their
/// texts.
fn figures_of(t: &Texts, health: &Health) -> [(&'static str, String); 4] {
    let percent = t.decimal(health.error_rate * 100.0, 0);
    [
        ("home-queue-queued", t.number(health.queue.queued)),
        ("home-queue-running", t.number(health.queue.running)),
        ("home-queue-in-flight", t.number(health.in_flight as u64)),
        (
            "home-queue-failures",
            t.with("home-queue-share", &[("percent", percent.into())]),
        ),
    ]
}

/// What changes by itself: limits, the queue, the latest deliveries.
async fn live_sections(ctx: &PageContext) -> Result<Markup, Failure> {
    let limits = limits::section(ctx).await?;
    let sent = DeliveryFilter::default().newest(ctx, SHOWN).await?;
    let names = Names::of(ctx, &sent).await?;
    let health = ctx.actor.health().await?;
    let (t, live) = (ctx.texts(), Live::at(ctx.at(LIVE)));
    Ok(html! {
        @if let Some(health) = health { (live.section("queue", &figures(ctx, &health))) }
        (live.section("latest", &html! {
            div.title { h2 { (t.of("home-latest-title")) } div.actions { a href=(ctx.at("/deliveries")) { (t.of("home-latest-all")) } } }
            @if sent.is_empty() { p.quiet { (t.of("home-latest-none")) } }
            @else { (delivery_rows::rows(ctx, &sent, &names, None)) }
        }))
        (live.part("limits", "", &limits))
    })
}

/// What fails, above everything else.
async fn failing(ctx: &PageContext) -> Result<Markup, Failure> {
    let failing = banner::failing(ctx).await?;
    Ok(Live::at(ctx.at(LIVE)).part("failing", "", &failing))
}

fn figures(ctx: &PageContext, health: &Health) -> Markup {
    let t = ctx.texts();
    let counted = away(t, health.queue.counted, ctx.now());
    html! {
        h2 { (t.of("home-queue-title")) }
        dl.figures { @for (name, text) in figures_of(t, health) { div { dd { (text) } dt { (t.of(name)) } } } }
        // The figures of the queue are counted now and then, for all processes.
        p.quiet { (t.markup("home-queue-counted", &[("time", counted.into())])) }
        @if !health.recording { p.note.bad role="alert" { (t.of("home-queue-unrecorded")) } }
    }
}

/// The live parts of the page.
async fn live(ctx: PageContext) -> Result<Response, Failure> {
    let (failing, parts) = (failing(&ctx).await?, live_sections(&ctx).await?);
    Ok(live_parts(&ctx, &html! { (failing) (parts) }))
}
