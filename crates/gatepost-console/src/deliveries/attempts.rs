//! The attempts of a delivery: outcome, phases, request and response.

use std::time::Duration;

use gatepost_storage::webhooks::AttemptRecord;
use maud::{Markup, html};

use super::message::pretty;
use crate::context::PageContext;
use crate::delivery_filter::class_name;
use crate::layout::badge;
use crate::texts::Texts;
use crate::time::{span, stamp};

/// The phases of an attempt: the class of the bar's part, the index of its end, and the text that
/// is its name.
const PARTS: [(&str, usize, &str); 5] = [
    ("p0", 0, "deliveries-phase-dns"),
    ("p1", 1, "deliveries-phase-connect"),
    ("p2", 2, "deliveries-phase-tls"),
    ("p3", 3, "deliveries-phase-wait"),
    ("p4", 4, "deliveries-phase-read"),
];

/// The newest attempts are shown, this number of them: replays add more without end.
pub(super) const SHOWN: u32 = 50;

/// The table of attempts.
pub(super) fn table(ctx: &PageContext, attempts: &[AttemptRecord]) -> Markup {
    let (t, now) = (ctx.texts(), ctx.now());
    let earlier = attempts.first().map_or(0, |first| first.number - 1);
    let longest = attempts.iter().map(|attempt| attempt.duration).max();
    let longest = longest.unwrap_or_default().max(Duration::from_micros(1));
    html! {
        @if earlier > 0 { p.quiet { (t.with("deliveries-attempts-earlier", &[("shown", SHOWN.into()), ("earlier", earlier.into())])) } }
        div.scroll { table {
            thead { tr {
                th scope="col" { (t.of("deliveries-attempt")) } th scope="col" { (t.of("deliveries-attempt-started")) } th scope="col" { (t.of("deliveries-attempt-result")) }
                th scope="col" { (t.of("deliveries-status")) } th scope="col" { (t.of("deliveries-duration")) } th scope="col" { (t.of("deliveries-attempt-details")) }
            } }
            tbody { @for attempt in attempts {
                tr {
                    td data-label=(t.of("deliveries-attempt")) { span { (attempt.number) } }
                    td data-label=(t.of("deliveries-attempt-started")) { div { (stamp(t, attempt.started, now)) } }
                    td data-label=(t.of("deliveries-attempt-result")) { span { (badge(if attempt.class == "ok" { "good" } else { "bad" }, &class_name(t, &attempt.class))) " " (t.rule(&attempt.info)) } }
                    td data-label=(t.of("deliveries-status")) { span { @match attempt.status { Some(status) => (status), None => "–" } } }
                    td data-label=(t.of("deliveries-duration")) { div { (span(t, attempt.duration)) (bar(t, attempt, longest)) } }
                    td data-label=(t.of("deliveries-attempt-details")) { div { (exchange(t, attempt)) } }
                }
            } }
        } }
        ul.legend {
            @for (class, _, name) in PARTS { li { svg viewBox="0 0 12 12" aria-hidden="true" { rect class=(class) width="12" height="12" {} } (t.of(name)) } }
        }
    }
}

/// The phases of an attempt as a bar, to the scale of the longest attempt.
fn bar(t: &Texts, attempt: &AttemptRecord, longest: Duration) -> Markup {
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
        texts.push(t.with(
            "deliveries-phase-took",
            &[("phase", t.of(name).into()), ("span", span(t, took).into())],
        ));
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
fn exchange(t: &Texts, attempt: &AttemptRecord) -> Markup {
    let sent = String::from_utf8_lossy(&attempt.request_head);
    let head = String::from_utf8_lossy(&attempt.response_head);
    let body = String::from_utf8_lossy(&attempt.response_body);
    let readable = pretty(&body);
    let number = [("number", attempt.number.into())];
    html! {
        @if !attempt.kept { span.quiet { (t.of("deliveries-attempt-lost")) } }
        @else if sent.is_empty() && head.is_empty() && body.is_empty() { span.quiet { (t.of("deliveries-attempt-none")) } }
        @else {
            details id={ "response-" (attempt.number) } {
                summary aria-label=(t.with("deliveries-attempt-show-of", &number)) { (t.of("deliveries-attempt-show")) }
                @if !sent.is_empty() { h3 { (t.of("deliveries-attempt-request")) } pre tabindex="0" { (sent) } }
                @if head.is_empty() && body.is_empty() { p.quiet { (t.of("deliveries-attempt-no-response")) } }
                @else { h3 { (t.of("deliveries-attempt-response")) } }
                @if !head.is_empty() { pre tabindex="0" { (head) } }
                @match readable {
                    Some(readable) => {
                        pre tabindex="0" { (readable) }
                        details id={ "raw-" (attempt.number) } { summary aria-label=(t.with("deliveries-attempt-raw-of", &number)) { (t.of("deliveries-attempt-raw")) } pre tabindex="0" { (body) } }
                    }
                    None if !body.is_empty() => pre tabindex="0" { (body) },
                    None => {}
                }
                @if attempt.truncated { p.quiet { (t.of("deliveries-attempt-truncated")) } }
            }
        }
    }
}
