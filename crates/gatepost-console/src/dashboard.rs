//! The first page: how webhooks, tasks and events work together, the latest deliveries (SPEC 4 rule
//! 3), and how much of each limit the caller has used.

use std::borrow::Cow;

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gatepost_manage::Health;
use gatepost_storage::Scope;
use gatepost_storage::webhooks::EventQuery;
use maud::{Markup, html};

use crate::choices::{newest_rows, newest_tasks, newest_webhooks};
use crate::context::PageContext;
use crate::delivery_filter::DeliveryFilter;
use crate::delivery_rows;
use crate::failure::Failure;
use crate::layout::{LIVE, Live, Section, badge, live_parts, page_with};
use crate::names::Names;
use crate::texts::Texts;
use crate::time::away;
use crate::webhooks::health;

/// The maximum number of rows that are counted.
const COUNTED: usize = 100;
/// The number of rows that are read: one more shows whether there are more.
const READ: u32 = 101;
/// The number of deliveries that are shown.
const SHOWN: u32 = 10;
/// The percentage of a limit from which on the page warns.
const NEARLY: u128 = 90;
/// The names of the texts for 1,024 bytes, 1,024 of these, and so on.
const UNITS: [&str; 4] = [
    "home-limits-kib",
    "home-limits-mib",
    "home-limits-gib",
    "home-limits-tib",
];

pub(crate) fn routes() -> Router {
    Router::new()
        .route("/", get(dashboard))
        .route(LIVE, get(live))
}

/// One of the three kinds of records, with texts such as `home-webhook-title`.
struct Step {
    name: &'static str,
    /// The path of its list.
    path: &'static str,
    count: usize,
    /// Whether this is the next record to create.
    here: bool,
}

impl Step {
    /// Returns the name of a text: its title, its purpose, the number for screen readers, or a
    /// button that creates a record, depending on whether this step comes first.
    fn text(&self, what: &str) -> String {
        format!("home-{}-{what}", self.name)
    }
}

async fn dashboard(ctx: PageContext) -> Result<Response, Failure> {
    let [webhooks, tasks, events] = counts(&ctx).await?;
    let failing = failing(&ctx).await?;
    let parts = live_sections(&ctx).await?;
    let steps = [
        ("webhook", "/webhooks", webhooks, webhooks == 0),
        ("task", "/tasks", tasks, webhooks > 0 && tasks == 0),
        ("event", "/events", events, tasks > 0 && events == 0),
    ];
    let steps = steps.map(|(name, path, count, here)| Step {
        name,
        path,
        count,
        here,
    });
    let t = ctx.texts();
    let actions = html! {
        @for step in &steps { a.button href={ (ctx.at(step.path)) "/new" } { (t.of(&step.text("new"))) } }
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

/// Returns the number of webhooks, tasks and events that the caller may see, up to the limit.
async fn counts(ctx: &PageContext) -> Result<[usize; 3], Failure> {
    let events = EventQuery {
        scope: Scope::All,
        task: None,
        event_type: None,
        page: newest_rows(READ),
    };
    Ok([
        newest_webhooks(ctx, READ).await?.len(),
        newest_tasks(ctx, None, READ).await?.len(),
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
    let view = t.with(&step.text("view"), &[("count", count.as_str().into())]);
    html! {
        li.next[step.here] {
            h2 { (t.of(&step.text("title"))) }
            p { (t.of(&step.text("text"))) }
            div.actions {
                @if step.count == 0 {
                    @if step.here { a.button.primary href={ (path) "/new" } { (t.of(&step.text("start"))) } } @else { span.quiet { (t.of("home-none")) } }
                } @else { a href=(path) aria-label=(view) { span.count { (count) } } }
            }
        }
    }
}

/// Returns the statistics of the whole system's queue by the names of their texts, for callers who
/// may see all of it.
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

/// Renders the sections that refresh themselves: limits, the queue, the latest deliveries.
async fn live_sections(ctx: &PageContext) -> Result<Markup, Failure> {
    let limits = limits_section(ctx).await?;
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

/// Renders the failing webhooks, above everything else.
async fn failing(ctx: &PageContext) -> Result<Markup, Failure> {
    let failing = health::failing(ctx).await?;
    Ok(Live::at(ctx.at(LIVE)).part("failing", "", &failing))
}

fn figures(ctx: &PageContext, health: &Health) -> Markup {
    let t = ctx.texts();
    let counted = away(t, health.queue.counted, ctx.now());
    html! {
        h2 { (t.of("home-queue-title")) }
        dl.figures { @for (name, text) in figures_of(t, health) { div { dd { (text) } dt { (t.of(name)) } } } }
        // The numbers of the queue are counted periodically, for all processes.
        p.quiet { (t.markup("home-queue-counted", &[("time", counted.into())])) }
        @if !health.recording { p.note.bad role="alert" { (t.of("home-queue-unrecorded")) } }
    }
}

/// Returns the live parts of the page.
async fn live(ctx: PageContext) -> Result<Response, Failure> {
    let (failing, parts) = (failing(&ctx).await?, live_sections(&ctx).await?);
    Ok(live_parts(&ctx, &html! { (failing) (parts) }))
}

/// Renders the section of limits.
async fn limits_section(ctx: &PageContext) -> Result<Markup, Failure> {
    let limits = ctx.actor.limits(ctx.principal().owner).await?;
    let t = ctx.texts();
    Ok(html! {
        section {
            h2 { (t.of("home-limits-title")) }
            dl { @for limit in &limits {
                @let (label, is_bytes) = shown(t, limit.name);
                dt { (label) }
                dd { (of_limit(t, limit.used, limit.most, is_bytes)) (warning(t, limit.used, limit.most)) }
            } }
        }
    })
}

/// Returns the name of a limit, and whether it counts bytes.
fn shown<'a>(t: &'a Texts, name: &'a str) -> (Cow<'a, str>, bool) {
    let text = t.find(&format!("home-limits-{}", name.replace('_', "-")));
    let is_bytes = text.is_some() && name.ends_with("_bytes");
    (text.unwrap_or(name.into()), is_bytes)
}

/// Returns a text such as `3 of 500`.
fn of_limit(t: &Texts, used: u64, most: u64, is_bytes: bool) -> String {
    let used = ("used", amount(t, used, is_bytes).into());
    if most == u64::MAX {
        return t.with("home-limits-unlimited", &[used]);
    }
    let most = ("most", amount(t, most, is_bytes).into());
    t.with("home-limits-used", &[used, most])
}

fn warning(t: &Texts, used: u64, most: u64) -> Markup {
    html! {
        @if used >= most { " " (badge("bad", &t.of("home-limits-full"))) }
        @else if is_nearly(used, most) { " " (badge("warn", &t.of("home-limits-nearly-full"))) }
    }
}

fn is_nearly(used: u64, most: u64) -> bool {
    u128::from(used) * 100 >= u128::from(most) * NEARLY
}

fn amount(t: &Texts, number: u64, is_bytes: bool) -> String {
    if !is_bytes {
        return t.number(number);
    }
    if number < 1024 {
        return t.with("home-limits-bytes", &[("count", number.into())]);
    }
    let mut scaled = number as f64 / 1024.0;
    let mut units = UNITS.into_iter();
    let mut unit = units.next().unwrap_or_default();
    for next in units {
        if scaled < 1024.0 {
            break;
        }
        (scaled, unit) = (scaled / 1024.0, next);
    }
    let digits = usize::from(scaled < 10.0 && scaled.fract() > 0.0);
    t.with(unit, &[("size", t.decimal(scaled, digits).into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_in_the_unit_that_fits() {
        let sizes = [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1,023 bytes"),
            (1024, "1 KiB"),
            (1536, "1.5 KiB"),
            (64 << 20, "64 MiB"),
            (1 << 30, "1 GiB"),
            (5 << 40, "5 TiB"),
        ];
        let t = Texts::english();
        for (bytes, text) in sizes {
            assert_eq!(amount(&t, bytes, true), text);
        }
        assert_eq!(amount(&t, 64 << 20, false), "67,108,864");
    }

    #[test]
    fn a_limit_is_pointed_out_before_it_is_reached() {
        let t = Texts::english();
        let word = |used, most| warning(&t, used, most).into_string();
        assert_eq!(word(449, 500), "");
        assert!(word(450, 500).contains("nearly full"));
        assert!(word(500, 500).contains("badge bad"));
        assert_eq!(word(10, u64::MAX), "");
    }
}
