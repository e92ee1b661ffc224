//! Spans of `tracing` with OpenTelemetry's ids: the answers that the engine asks for, and the span
//! of a request.

use axum::extract::Request;
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::Response;
use gatepost_engine::Tracer;
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState as OtelState,
};
use tracing::field::Empty;
use tracing::{Instrument as _, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use webhook_model::{TraceContext, TraceParent, TraceState};

/// The layer's knowledge of spans.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spans;

impl Tracer for Spans {
    fn context(&self, span: &Span) -> Option<TraceContext> {
        let context = span.context();
        let context = context.span().span_context().clone();
        let trace = u128::from_be_bytes(context.trace_id().to_bytes());
        let span = u64::from_be_bytes(context.span_id().to_bytes());
        let parent = TraceParent::new(trace, span, context.is_sampled())?;
        let state = TraceState::parse(&context.trace_state().header());
        let state = state.ok().flatten();
        Some(TraceContext::from(parent).with_state(state))
    }

    fn adopt(&self, span: &Span, parent: &TraceContext) {
        let sampled = TraceFlags::default().with_sampled(parent.parent.is_sampled());
        let state = parent.state.as_ref().map(|state| state.as_str().parse());
        let remote = SpanContext::new(
            TraceId::from_bytes(parent.parent.trace_id().to_be_bytes()),
            SpanId::from_bytes(parent.parent.span_id().to_be_bytes()),
            sampled,
            true,
            state.and_then(Result::ok).unwrap_or(OtelState::NONE),
        );
        let context = opentelemetry::Context::new().with_remote_span_context(remote);
        // A span that is not exported has no parent either.
        let _ = span.set_parent(context);
    }
}

/// Runs a request in a span, which continues the trace that its headers name. A platform that
/// serves strangers may want to begin its own trace instead: everybody can write these headers.
pub(crate) async fn of_request(request: Request, next: Next) -> Response {
    let span = tracing::info_span!(
        "http.request",
        otel.kind = "server",
        http.request.method = %request.method(),
        http.response.status_code = Empty
    );
    if let Some(parent) = named(request.headers()) {
        Spans.adopt(&span, &parent);
    }
    let response = next.run(request).instrument(span.clone()).await;
    span.record("http.response.status_code", response.status().as_u16());
    response
}

fn named(headers: &HeaderMap) -> Option<TraceContext> {
    let mut parents = headers.get_all("traceparent").iter();
    let (Some(parent), None) = (parents.next(), parents.next()) else {
        return None;
    };
    let states = headers.get_all("tracestate").iter();
    let states: Result<Vec<&str>, _> = states.map(|state| state.to_str()).collect();
    let state = states.ok().map(|states| states.join(","));
    TraceContext::from_headers(parent.to_str().ok()?, state.as_deref())
}
