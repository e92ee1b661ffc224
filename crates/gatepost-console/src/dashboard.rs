//! The first page (SPEC 4 rule 3): whether everything is all right, with the latest deliveries, the
//! keys that expire and the limits that fill up; and how to create webhooks, tasks and events.

use std::borrow::Cow;

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gatepost_manage::{Health, Limit};
use gatepost_storage::Scope;
use gatepost_storage::webhooks::EventQuery;
use maud::{Markup, html};

use crate::charts::figures;
use crate::choices::{newest_rows, newest_tasks, newest_webhooks};
use crate::context::PageContext;
use crate::delivery_filter::DeliveryFilter;
use crate::failure::Failure;
use crate::layout::{LIVE, Live, Section, badge, live_parts, note, page};
use crate::names::Names;
use crate::texts::Texts;
use crate::time::away;
use crate::webhooks::health;
use crate::{delivery_rows, keys};

/// The number of newest webhooks whose outcomes of the last day are summed.
const SUMMED: u32 = 100;
/// The number of deliveries that are shown.
const SHOWN: u32 = 10;
/// The percentages of a limit from which on the page shows it, and warns.
const USED: u128 = 50;
const NEARLY: u128 = 90;
/// The ends of the names of the texts for 1,024 bytes, 1,024 of these, and so on.
const UNITS: [&str; 4] = ["kib", "mib", "gib", "tib"];
/// The kinds of records: the first parts of the names of their texts, and their sections.
const RECORDS: [(&str, Section); 3] = [
    ("webhook", Section::Webhooks),
    ("task", Section::Tasks),
    ("event", Section::Events),
];

pub(crate) fn routes() -> Router {
    Router::new()
        .route("/", get(dashboard))
        .route(LIVE, get(live))
}

async fn dashboard(ctx: PageContext) -> Result<Response, Failure> {
    let body = body(&ctx, &keys::to_review(&ctx).await?).await?;
    let title = ctx.texts().of("home-title");
    Ok(page(&ctx, Section::Dashboard, &title, &body).into_response())
}

/// Returns the live parts of the page.
async fn live(ctx: PageContext) -> Result<Response, Failure> {
    Ok(live_parts(&ctx, &body(&ctx, &html! {}).await?))
}

/// Renders the page; `keys`, which do not refresh themselves, are those to be looked at.
async fn body(ctx: &PageContext, keys: &Markup) -> Result<Markup, Failure> {
    let webhooks = newest_webhooks(ctx, SUMMED).await?;
    let sent = DeliveryFilter::default().newest(ctx, SHOWN).await?;
    let names = Names::of(ctx, &sent).await?;
    let failing = health::failing(ctx).await?;
    let day = health::of_all(ctx, webhooks.iter().map(|row| row.id)).await?;
    let queue = ctx.actor.health().await?;
    let limits = ctx.actor.limits(ctx.principal().owner).await?;
    let guide = match sent.is_empty() {
        true => guide(ctx, webhooks.is_empty()).await?,
        false => html! {},
    };
    let (t, live) = (ctx.texts(), Live::at(ctx.at(LIVE)));
    Ok(html! {
        (live.part("failing", "", &html! {
            @if let Some(failing) = &failing { (failing) }
            @else if !sent.is_empty() { (note("good", &html! { (t.of("home-well")) })) }
        }))
        (guide)
        div.aside.end {
            div {
                @if !webhooks.is_empty() { (live.section("day", &html! { h2 { (t.of("home-day-title")) } (day) })) }
                @if let Some(queue) = queue { (live.section("queue", &queue_figures(ctx, &queue))) }
                (live.section("latest", &html! {
                    div.title { h2 { (t.of("home-latest-title")) } a href=(ctx.at("/deliveries")) { (t.of("home-latest-all")) } }
                    @if sent.is_empty() { p.quiet { (t.of("home-latest-none")) } }
                    @else { (delivery_rows::rows(ctx, &sent, &names, None)) }
                }))
            }
            div {
                (tasks_dashboard(ctx))
                (keys)
                (live.section("limits", &limits_used(t, &limits)))
            }
        }
    })
}

/// Renders how webhooks, tasks and events work together, with a button that creates the first
/// record that is missing.
async fn guide(ctx: &PageContext, is_first: bool) -> Result<Markup, Failure> {
    let events = EventQuery {
        scope: Scope::All,
        task: None,
        event_type: None,
        page: newest_rows(1),
    };
    let has_task = !newest_tasks(ctx, None, 1).await?.is_empty();
    let has_event = !ctx.actor.events(&events).await?.rows.is_empty();
    let next = match (is_first, has_task, has_event) {
        (true, ..) => Some(0),
        (_, false, _) => Some(1),
        (.., false) => Some(2),
        _ => None,
    };
    let t = ctx.texts();
    let said = |name: &str, what: &str| t.of(&format!("home-{name}-{what}")).into_owned();
    Ok(html! {
        p { (t.of("home-text")) }
        ol.steps { @for (at, (name, section)) in RECORDS.into_iter().enumerate() {
            @let is_next = next == Some(at);
            li.next[is_next] {
                h2 { (said(name, "title")) }
                p { (said(name, "text")) }
                @if is_next { div.actions { a.button.primary href={ (ctx.at(section.path())) "/new" } { (said(name, "start")) } } }
            }
        } }
    })
}

/// Renders links to the lists and to the forms of new records.
fn tasks_dashboard(ctx: &PageContext) -> Markup {
    let t = ctx.texts();
    html! {
        section {
            h2 { (t.of("home-tasks-title")) }
            ul.plain { @for (name, section) in RECORDS {
                @let path = ctx.at(section.path());
                li.title { a href=(path) { (section.name(t)) } a.button.small href={ (path) "/new" } { (t.of(&format!("home-{name}-new"))) } }
            } }
        }
    }
}

/// Renders the statistics of the whole system's queue, for callers who may see all of it.
fn queue_figures(ctx: &PageContext, health: &Health) -> Markup {
    let t = ctx.texts();
    let percent = [("percent", t.decimal(health.error_rate * 100.0, 0).into())];
    let counted = away(t, health.queue.counted, ctx.now());
    let all = [
        ("home-queue-queued", t.number(health.queue.queued)),
        ("home-queue-running", t.number(health.queue.running)),
        ("home-queue-in-flight", t.number(health.in_flight as u64)),
        ("home-queue-failures", t.with("home-queue-share", &percent)),
    ];
    html! {
        h2 { (t.of("home-queue-title")) }
        (figures(t, all.map(|(name, text)| (name, text, None))))
        // The numbers of the queue are counted periodically, for all processes.
        p.quiet { (t.markup("home-queue-counted", &[("time", counted.into())])) }
        @if !health.recording { p.note.bad role="alert" { (t.of("home-queue-unrecorded")) } }
    }
}

/// Renders the limits of which at least half is used, each with a bar, and all limits folded.
fn limits_used(t: &Texts, limits: &[Limit]) -> Markup {
    let high = limits.iter();
    let high = high.filter(|limit| is_over(limit.used, limit.most, USED));
    let high: Vec<_> = high.collect();
    let row = |limit: &Limit| {
        let (label, is_bytes) = shown(t, limit.name);
        html! { dt { (label) } dd { (of_limit(t, limit.used, limit.most, is_bytes)) (warning(t, limit.used, limit.most)) } }
    };
    html! {
        h2 { (t.of("home-limits-title")) }
        @if high.is_empty() { p.quiet { (t.of("home-limits-low")) } }
        @else { dl { @for limit in high { (row(limit)) dd { (bar(limit)) } } } }
        details id="all" {
            summary { (t.of("home-limits-all")) }
            dl { @for limit in limits { (row(limit)) } }
        }
    }
}

fn bar(limit: &Limit) -> Markup {
    let width = u128::from(limit.used) * 100 / u128::from(limit.most.max(1));
    html! { svg.bar viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" { rect.p3 width=(width.min(100)) height="4" {} } }
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
        @else if is_over(used, most, NEARLY) { " " (badge("warn", &t.of("home-limits-nearly-full"))) }
    }
}

/// Whether at least this percentage of a limit is used.
fn is_over(used: u64, most: u64, percent: u128) -> bool {
    u128::from(used) * 100 >= u128::from(most) * percent
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
    let size = [("size", t.decimal(scaled, digits).into())];
    t.with(&format!("home-limits-{unit}"), &size)
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
    fn dashboard_warns_before_limit_is_reached() {
        let t = Texts::english();
        let word = |used, most| warning(&t, used, most).into_string();
        assert_eq!(word(449, 500), "");
        assert!(word(450, 500).contains("nearly full"));
        assert!(word(500, 500).contains("badge bad"));
        assert_eq!(word(10, u64::MAX), "");
    }
}
