//! What operators see of requests: a span, a counter, a histogram.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::time::Instant;
use tracing::Instrument;

use crate::error::ApiError;
use crate::state::Shared;

/// Counts and times every request, refused ones included. Labels come from the declarations and the
/// status, never from what a client writes: their number is bounded. Neither query nor body is
/// looked at.
pub(super) async fn observe(
    State(shared): State<Shared>,
    request: Request,
    next: Next,
) -> Response {
    let (table, method) = (
        shared.tables.label(request.uri().path()),
        method(request.method()),
    );
    let span = tracing::info_span!("api.request", table, method, status = tracing::field::Empty);
    let began = Instant::now();
    let response = contained(next.run(request)).instrument(span.clone()).await;
    let status = response.status();
    span.record("status", status.as_u16());
    metrics::counter!("gatepost_http_requests_total", "table" => table, "method" => method, "status" => status.as_str().to_owned())
        .increment(1);
    metrics::histogram!("gatepost_http_request_seconds", "table" => table)
        .record(began.elapsed().as_secs_f64());
    response
}

/// A panic costs the request that met it, whose response is 500, and not the connection with the
/// others on it.
async fn contained(response: impl Future<Output = Response>) -> Response {
    let mut response = pin!(response);
    poll_fn(|cx| {
        catch_unwind(AssertUnwindSafe(|| response.as_mut().poll(cx))).unwrap_or_else(|_| {
            tracing::error!("a request panicked");
            Poll::Ready(ApiError::internal().into_response())
        })
    })
    .await
}

fn method(method: &http::Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "DELETE" => "DELETE",
        _ => "other",
    }
}
