//! The attempts of a delivery: the timeline, and the response and the timing of one attempt.

use std::time::Duration;

use gatepost_storage::webhooks::{AttemptRecord, DeliveryId};
use maud::{Markup, html};
use url::{Host, Url};

use super::message::pretty;
use super::request::Head;
use crate::context::PageContext;
use crate::delivery_filter::class_name;
use crate::layout::{badge, code, copy, status_line};
use crate::texts::Texts;
use crate::time::{away, span, stamp};

/// The phases of an attempt: the class of its bar, and the name of its text.
const PHASES: [(&str, &str); 5] = [
    ("p0", "deliveries-phase-dns"),
    ("p1", "deliveries-phase-connect"),
    ("p2", "deliveries-phase-tls"),
    ("p3", "deliveries-phase-wait"),
    ("p4", "deliveries-phase-read"),
];

/// The number of newest attempts that are shown: replays add attempts without end.
pub(super) const SHOWN: u32 = 50;

/// Renders the attempts as links, newest first. `chosen` is the number of the one that is shown.
pub(super) fn timeline(
    ctx: &PageContext,
    id: DeliveryId,
    attempts: &[AttemptRecord],
    chosen: u32,
) -> Markup {
    let (t, now) = (ctx.texts(), ctx.now());
    let earlier = attempts.first().map_or(0, |first| first.number - 1);
    let longest = attempts.iter().map(|attempt| attempt.duration).max();
    let longest = longest.unwrap_or_default();
    html! {
        ol.timeline { @for attempt in attempts.iter().rev() {
            @let number = attempt.number;
            @let kind = if attempt.class == "ok" { "good" } else { "bad" };
            @let width = share(attempt.duration, longest);
            li {
                a href={ (ctx.at(&format!("/deliveries/{id}"))) "?attempt=" (number) } aria-current=[(number == chosen).then_some("true")] {
                    (badge(kind, &t.with("deliveries-attempt-number", &[("number", number.into())])))
                }
                @match attempt.status { Some(status) => (code(status)), None => span.quiet { (class_name(t, &attempt.class)) } }
                span.quiet { (away(t, attempt.started, now)) }
                span.quiet { (span(t, attempt.duration)) }
                svg.bar viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" { rect class="p3" width=(width) height="4" {} }
            }
        } }
        @if earlier > 0 { p.quiet { (t.with("deliveries-attempts-earlier", &[("shown", SHOWN.into()), ("earlier", earlier.into())])) } }
    }
}

/// Renders the stored part of the response to an attempt.
pub(super) fn response(ctx: &PageContext, attempt: &AttemptRecord) -> Markup {
    let t = ctx.texts();
    let head = String::from_utf8_lossy(&attempt.response_head);
    let body = String::from_utf8_lossy(&attempt.response_body);
    let readable = pretty(&body);
    let headers = head.lines().filter(|line| !line.is_empty()).count();
    let number = [("number", attempt.number.into())];
    html! {
        div.title {
            h2 { (t.with("deliveries-response", &number)) }
            @if !body.is_empty() { (copy("response", &t.of("deliveries-copy"), Some(&t.of("deliveries-copy-response")))) }
        }
        p.http {
            @match attempt.status { Some(status) => (status_line(status)), None => (badge("bad", &class_name(t, &attempt.class))) }
            @if !["ok", "status"].contains(&&*attempt.class) { span { (t.rule(&attempt.info)) } }
            (stamp(t, attempt.started, ctx.now()))
        }
        @if !attempt.kept { p.quiet { (t.of("deliveries-attempt-lost")) } }
        @else if head.is_empty() && body.is_empty() { p.quiet { (t.of("deliveries-attempt-no-response")) } }
        @else if body.is_empty() { p.quiet { (t.of("deliveries-attempt-no-body")) } }
        @else { pre id="response" tabindex="0" { (readable.as_deref().unwrap_or(&body)) } }
        @if attempt.truncated { p.quiet { (t.of("deliveries-attempt-truncated")) } }
        @if readable.is_some() { details id="raw" { summary { (t.of("deliveries-attempt-raw")) } pre tabindex="0" { (body) } } }
        @if headers > 0 { details id="headers" { summary { (t.with("deliveries-headers", &[("count", headers.into())])) } pre tabindex="0" { (head) } } }
    }
}

/// Renders the duration of each phase of an attempt, at its position in time.
pub(super) fn timing(t: &Texts, attempt: &AttemptRecord) -> Markup {
    let phases = attempt.phases;
    // An IP address needs no DNS lookup.
    let dns = phases.dns.filter(|_| !is_address(&attempt.request_head));
    let ends = [
        dns,
        phases.connect,
        phases.tls,
        phases.first_byte,
        Some(attempt.duration),
    ];
    let mut from = Duration::ZERO;
    let mut parts = Vec::new();
    for ((class, name), end) in PHASES.into_iter().zip(ends) {
        let Some(end) = end else { continue };
        let took = end.saturating_sub(from);
        let (at, width) = (share(from, attempt.duration), share(took, attempt.duration));
        parts.push((class, name, took, at, width));
        from = from.max(end);
    }
    html! {
        div.title { h2 { (t.of("deliveries-timing")) } span.quiet { (t.with("deliveries-timing-total", &[("span", span(t, attempt.duration).into())])) } }
        dl.phases { @for (class, name, took, at, width) in parts {
            dt { (t.of(name)) }
            dd { svg.bar viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" { rect class=(class) x=(at) width=(width) height="4" {} } span { (span(t, took)) } }
        } }
    }
}

/// Whether a request went to an IP address rather than to a name.
fn is_address(request: &[u8]) -> bool {
    let url = Head::parse(request).and_then(|head| Url::parse(&head.url).ok());
    matches!(
        url.as_ref().and_then(Url::host),
        Some(Host::Ipv4(_) | Host::Ipv6(_))
    )
}

/// Returns a part of a whole, in percent.
fn share(part: Duration, whole: Duration) -> String {
    let whole = whole.max(Duration::from_micros(1)).as_secs_f64();
    format!("{:.1}", part.as_secs_f64() / whole * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_needs_no_lookup() {
        for (url, is) in [
            ("http://127.0.0.1:80/in", true),
            ("https://[::1]/", true),
            ("https://example.com/1.2.3.4", false),
        ] {
            let head = format!("POST {url} HTTP/1.1\r\n");
            assert_eq!(is_address(head.as_bytes()), is, "{url}");
        }
        assert!(!is_address(b""));
    }
}
