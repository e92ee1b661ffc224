//! Observability of requests: a span, a counter, a histogram.

use std::collections::HashMap;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::{Method, StatusCode};
use metrics::{Counter, Histogram};
use tokio::time::Instant;
use tracing::Instrument;

use crate::error::ApiError;
use crate::state::{OTHER, Tables};

const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "DELETE", "other"];
/// The statuses whose counters are stored. Others are looked up each time.
const STATUSES: [u16; 14] = [
    200, 201, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503,
];

/// Counts and times every request, including refused ones. Labels come from the declarations and
/// the status, never from client input: their number is bounded. Neither query nor body is
/// recorded.
#[derive(Debug)]
pub(super) struct Observer {
    tables: Arc<Tables>,
    figures: HashMap<&'static str, Figures>,
    other: Figures,
}

/// The metrics of one table. Each is registered at its first use and stored: a lookup by labels
/// costs as much as authenticating a request.
#[derive(Debug)]
struct Figures {
    table: &'static str,
    seconds: OnceLock<Histogram>,
    /// The counters by method, then by status.
    requests: [[OnceLock<Counter>; STATUSES.len()]; METHODS.len()],
}

/// A request in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    figures: &'a Figures,
    /// Its index in [`METHODS`].
    method: usize,
}

impl Observer {
    pub(super) fn new(tables: Arc<Tables>) -> Self {
        let labels = tables.labels();
        Self {
            figures: labels.map(|table| (table, Figures::of(table))).collect(),
            other: Figures::of(OTHER),
            tables,
        }
    }

    pub(super) fn asked(&self, request: &Request) -> Asked<'_> {
        let table = self.tables.label(request.uri().path());
        Asked {
            figures: self.figures.get(table).unwrap_or(&self.other),
            method: place(request.method()),
        }
    }
}

impl Asked<'_> {
    /// Observes the handling of the request.
    pub(super) async fn observe(self, response: impl Future<Output = Response>) -> Response {
        let (table, method) = (self.figures.table, METHODS[self.method]);
        let span =
            tracing::info_span!("api.request", table, method, status = tracing::field::Empty);
        let began = Instant::now();
        let response = contained(response).instrument(span.clone()).await;
        span.record("status", response.status().as_u16());
        self.count(response.status());
        self.figures.time(began.elapsed().as_secs_f64());
        response
    }

    fn count(self, status: StatusCode) {
        let place = STATUSES.iter().position(|known| *known == status.as_u16());
        let held = place.map(|place| &self.figures.requests[self.method][place]);
        let register = || {
            let (table, method) = (self.figures.table, METHODS[self.method]);
            metrics::counter!("gatepost_http_requests_total", "table" => table, "method" => method, "status" => status.as_str().to_owned())
        };
        match held {
            Some(held) => held.get_or_init(register).increment(1),
            None => register().increment(1),
        }
    }
}

impl Figures {
    fn of(table: &'static str) -> Self {
        Self {
            table,
            seconds: OnceLock::new(),
            requests: Default::default(),
        }
    }

    fn time(&self, seconds: f64) {
        let table = self.table;
        let histogram = || metrics::histogram!("gatepost_http_request_seconds", "table" => table);
        self.seconds.get_or_init(histogram).record(seconds);
    }
}

/// Contains a panic: only its request fails, with 500, and not the connection with other requests
/// on it.
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

fn place(method: &Method) -> usize {
    let known = METHODS.iter().position(|known| *known == method.as_str());
    known.unwrap_or(METHODS.len() - 1)
}
