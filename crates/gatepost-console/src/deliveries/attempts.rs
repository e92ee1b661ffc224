//! The attempts of a delivery: outcome, phases, request and response.

use std::time::Duration;

use gatepost_storage::webhooks::AttemptRecord;
use maud::{Markup, html};

use super::pretty::pretty;
use crate::context::PageContext;
use crate::layout;
use crate::time::{span, stamp};

/// The phases of an attempt: the class of the bar's part, the index of its end, and its name.
const PARTS: [(&str, usize, &str); 5] = [
    ("p0", 0, "DNS lookup"),
    ("p1", 1, "connect"),
    ("p2", 2, "TLS"),
    ("p3", 3, "waiting for the response"),
    ("p4", 4, "reading the response"),
];

/// The newest attempts are shown, this number of them: replays add more without end.
pub(super) const SHOWN: u32 = 50;

/// The table of attempts.
pub(super) fn table(ctx: &PageContext, attempts: &[AttemptRecord]) -> Markup {
    let now = ctx.now();
    let earlier = attempts.first().map_or(0, |first| first.number - 1);
    let longest = attempts.iter().map(|attempt| attempt.duration).max();
    let longest = longest.unwrap_or_default().max(Duration::from_micros(1));
    html! {
        @if earlier > 0 { p.quiet { "The newest " (SHOWN) " attempts; there are " (earlier) " earlier ones." } }
        div.scroll { table {
            thead { tr {
                th scope="col" { "Attempt" } th scope="col" { "Started" } th scope="col" { "Result" }
                th scope="col" { "Status" } th scope="col" { "Duration" } th scope="col" { "Details" }
            } }
            tbody { @for attempt in attempts {
                tr {
                    td data-label="Attempt" { span { (attempt.number) } }
                    td data-label="Started" { div { (stamp(ctx.texts(), attempt.started, now)) } }
                    td data-label="Result" { span { @if attempt.class == "ok" { (layout::badge("good", "ok")) } @else { (layout::badge("bad", &attempt.class)) } " " (attempt.info) } }
                    td data-label="Status" { span { @match attempt.status { Some(status) => (status), None => "–" } } }
                    td data-label="Duration" { div { (span(ctx.texts(), attempt.duration)) (bar(ctx, attempt, longest)) } }
                    td data-label="Details" { div { (exchange(attempt)) } }
                }
            } }
        } }
        ul.legend {
            @for (class, _, name) in PARTS { li { svg viewBox="0 0 12 12" aria-hidden="true" { rect class=(class) width="12" height="12" {} } (name) } }
        }
    }
}

/// The phases of an attempt as a bar, to the scale of the longest attempt.
fn bar(ctx: &PageContext, attempt: &AttemptRecord, longest: Duration) -> Markup {
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
    let mut texts = Vec::new();
    let mut parts = Vec::new();
    for (class, at, name) in PARTS {
        let Some(end) = ends.get(at).copied().flatten() else {
            continue;
        };
        let took = end.saturating_sub(from);
        texts.push(format!("{name} {}", span(ctx.texts(), took)));
        parts.push((class, place(from), place(took)));
        from = from.max(end);
    }
    html! {
        svg.bar viewBox="0 0 200 12" preserveAspectRatio="none" role="img" aria-label=(texts.join(", ")) {
            @for (class, x, width) in parts { rect class=(class) x=(format!("{x:.1}")) width=(format!("{width:.1}")) height="12" {} }
        }
    }
}

/// What was sent and what came back, as far as it was kept.
fn exchange(attempt: &AttemptRecord) -> Markup {
    let sent = String::from_utf8_lossy(&attempt.request_head);
    let head = String::from_utf8_lossy(&attempt.response_head);
    let body = String::from_utf8_lossy(&attempt.response_body);
    let readable = pretty(&body);
    html! {
        @if !attempt.kept { span.quiet { "not kept" } }
        @else if sent.is_empty() && head.is_empty() && body.is_empty() { span.quiet { "none" } }
        @else {
            details id={ "response-" (attempt.number) } {
                summary { "Show " span.unseen { "request and response of attempt " (attempt.number) } }
                @if !sent.is_empty() { h3 { "Request" } pre tabindex="0" { (sent) } }
                @if head.is_empty() && body.is_empty() { p.quiet { "No response." } }
                @else { h3 { "Response" } }
                @if !head.is_empty() { pre tabindex="0" { (head) } }
                @match readable {
                    Some(readable) => {
                        pre tabindex="0" { (readable) }
                        details id={ "raw-" (attempt.number) } { summary { "As it came" span.unseen { ", attempt " (attempt.number) } } pre tabindex="0" { (body) } }
                    }
                    None if !body.is_empty() => pre tabindex="0" { (body) },
                    None => {}
                }
                @if attempt.truncated { p.quiet { "Response truncated." } }
            }
        }
    }
}
