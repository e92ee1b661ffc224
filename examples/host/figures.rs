//! `/health` for a load balancer; `/metrics` and `/status` for the operator.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use gatepost_engine::{Engine, Health};
use gatepost_keys::{AccessLevel, AuthLayer, Principal};
use metrics_exporter_prometheus::PrometheusHandle;
use serde_json::json;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

const EVERY: Duration = Duration::from_secs(1);
/// A store that takes longer does not respond.
const PATIENCE: Duration = Duration::from_secs(3);
/// An older state says nothing about the present.
const STALE: Duration = Duration::from_secs(10);
const UPKEEP: Duration = Duration::from_secs(5);

/// The engine's state as it was read last, about a second ago: a request here costs the store
/// nothing.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    latest: watch::Receiver<(Instant, Option<Health>)>,
    metrics: PrometheusHandle,
}

impl Figures {
    /// Reads the state once and then every second, in a task.
    pub(crate) async fn of(engine: Engine, metrics: PrometheusHandle) -> Self {
        let (say, latest) = watch::channel((Instant::now(), ask(&engine).await));
        tokio::spawn(async move {
            let mut tick = interval(EVERY);
            tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
            while !say.is_closed() {
                tick.tick().await;
                let health = ask(&engine).await;
                say.send_replace((Instant::now(), health));
            }
        });
        let upkeep = metrics.clone();
        // Samples are gathered until a request reads them, or this task does.
        tokio::spawn(async move {
            let mut tick = interval(UPKEEP);
            loop {
                tick.tick().await;
                upkeep.run_upkeep();
            }
        });
        Self { latest, metrics }
    }

    /// `/health`, which says yes or no to everybody.
    pub(crate) fn health(&self) -> Router {
        Router::new()
            .route("/health", get(health))
            .with_state(self.clone())
    }

    /// `/metrics` and `/status`, without a key: everybody who can reach the address may read them.
    pub(crate) fn open(&self) -> Router {
        Router::new()
            .route("/metrics", get(exposition))
            .route("/status", get(status))
            .with_state(self.clone())
    }

    /// The same, for system administrators.
    pub(crate) fn guarded(&self, guard: AuthLayer) -> Router {
        self.open().layer(from_fn(administrators)).layer(guard)
    }

    fn now(&self) -> Option<Health> {
        let (asked, health) = &*self.latest.borrow();
        health.clone().filter(|_| asked.elapsed() < STALE)
    }
}

async fn ask(engine: &Engine) -> Option<Health> {
    timeout(PATIENCE, engine.health()).await.ok()?.ok()
}

async fn administrators(request: Request, next: Next) -> Response {
    let caller = request.extensions().get::<Principal>();
    if caller.is_some_and(|caller| caller.access == AccessLevel::SystemAdministrator) {
        return next.run(request).await;
    }
    let refusal = Json(json!({"err": "For system administrators only"}));
    (StatusCode::FORBIDDEN, refusal).into_response()
}

/// `GET /health`: 200 or 503, and no word more.
async fn health(State(figures): State<Figures>) -> Response {
    let well = figures.now().is_some_and(|health| health.recording);
    let status = if well {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    (status, [(header::CACHE_CONTROL, "no-store")]).into_response()
}

/// `GET /metrics`, as Prometheus reads it.
async fn exposition(State(figures): State<Figures>) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    (kind, figures.metrics.render()).into_response()
}

/// `GET /status`, for a person.
async fn status(State(figures): State<Figures>) -> Response {
    let Some(health) = figures.now() else {
        let down = Json(json!({"err": "The store does not respond"}));
        return (StatusCode::SERVICE_UNAVAILABLE, down).into_response();
    };
    Json(json!({
        "queued": health.queue.queued,
        "running": health.queue.running,
        "oldest_due": health.queue.oldest_due.map(|due| due.timestamp()),
        "outbox": health.queue.outbox,
        "unplaced": health.unplaced,
        "in_flight": health.in_flight,
        "error_rate": health.error_rate,
        "recording": health.recording,
        "clock_is_right": health.clock_is_right,
        "restarts": health.restarts,
    }))
    .into_response()
}
