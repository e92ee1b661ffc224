//! A small platform that embeds everything: users, virtual machines, API keys, webhooks.
//!
//! `cargo run --example host -- [--listen 127.0.0.1:8080] [--data DIR|memory|postgres://…]
//! [--seal-key-file FILE] [--tls-self-signed] [--admin-password PW] [--allow-private-targets]
//! [--unlimited]`
#![allow(clippy::print_stdout, reason = "a program that talks to a person")]

mod options;
mod stores;
mod tell;

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use delivery::{Sender, TargetPolicy};
use examples::certificate::self_signed;
use examples::platform::Platform;
use examples::session::Sessions;
use examples::tables::HostTables;
use examples::tokens::Tokens;
use gatepost_console::Console;
use gatepost_engine::Engine;
use gatepost_http::{Api, VersionFacts};
use gatepost_ids::{Quota, Quotas};
use gatepost_keys::{AuthLayer, KeyService};
use gatepost_manage::Management;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use options::Options;
use serde_json::json;
use tokio::net::TcpListener;

type Failure = Box<dyn Error + Send + Sync>;

/// Networks of this machine and of private clouds, for tests of webhooks on one's own desk.
const PRIVATE: [&str; 6] = [
    "127.0.0.0/8",
    "::1/128",
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "fc00::/7",
];

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let Some(options) = Options::parse(std::env::args().skip(1))? else {
        println!("{}", options::USAGE);
        return Ok(());
    };
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_writer(std::io::stderr)
        .init();
    let metrics = PrometheusBuilder::new().install_recorder()?;

    let (key_store, webhook_store) = stores::open(&options).await?;
    let platform = Arc::new(Platform::new(&options.password));
    let quotas: Arc<dyn Quotas> = if options.unlimited {
        Arc::new(Quota::UNLIMITED)
    } else {
        platform.clone()
    };
    let keys = KeyService::builder(key_store, platform.clone())
        .quotas(quotas.clone())
        .build();
    let mut policy = TargetPolicy::public();
    for net in PRIVATE.iter().filter(|_| options.private_targets) {
        policy = policy.allow(net.parse()?);
    }
    let engine = Engine::builder(webhook_store, Sender::builder(policy).build()?)
        .watch(platform.clone(), platform.clone())
        .quotas(quotas)
        .catalog(Platform::catalog()?)
        .start()
        .await?;
    let app = app(&options, &platform, &keys, &engine, metrics.clone());

    let listener = TcpListener::bind(options.listen).await?;
    let certificate = if options.tls {
        Some(self_signed()?)
    } else {
        None
    };
    if let Some(certificate) = &certificate {
        std::fs::write(options.certificate(), &certificate.pem)?;
    }
    // Samples are gathered until somebody looks at them, or this does.
    tokio::spawn(async move {
        let mut tick = tokio::time::interval(Duration::from_secs(5));
        loop {
            tick.tick().await;
            metrics.run_upkeep();
        }
    });
    tell::tell(&options, listener.local_addr()?);
    let stop = async { examples::serve::stop_signal().await.unwrap_or_default() };
    examples::serve::serve(listener, certificate.map(|c| c.server), app, stop).await?;
    engine.shutdown(Duration::from_secs(10)).await;
    keys.shutdown().await;
    Ok(())
}

/// Everything that the platform serves.
fn app(
    options: &Options,
    platform: &Arc<Platform>,
    keys: &KeyService,
    engine: &Engine,
    metrics: PrometheusHandle,
) -> Router {
    let tokens = Tokens::new(platform.clone(), engine.clone(), keys.guesses().clone());
    let guard = AuthLayer::new(keys.clone(), |ext| {
        ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
    })
    .platform_login(Arc::new(tokens.clone()));
    let management = Management::builder(keys.clone(), engine.clone())
        .directory(platform.clone())
        .build();
    let api = HostTables::all(engine)
        .into_iter()
        .fold(
            Api::builder(management.clone(), guard.clone()),
            gatepost_http::ApiBuilder::table,
        )
        .version(VersionFacts::new("26.1.8", "example"))
        .build();
    let passwords = platform.clone();
    let sessions = Sessions::new(
        options.tls,
        keys.guesses().clone(),
        move |name, password| {
            let passwords = passwords.clone();
            async move { passwords.password(&name, &password).await }
        },
    );
    let console = Console::builder(management, Arc::new(sessions.clone()))
        .title("Example platform")
        .build();
    // Figures tell about the users' business: they are for who can log in.
    let figures = Router::new()
        .route("/metrics", get(exposition))
        .with_state(metrics)
        .layer(guard);
    let health = Router::new()
        .route("/health", get(health))
        .with_state(engine.clone());
    Router::new()
        .nest("/api/v4", api.router())
        .merge(api.version_router())
        .merge(tokens.router())
        .merge(sessions.router())
        .merge(console.router())
        .merge(figures)
        .merge(health)
        .fallback(|| async { (StatusCode::NOT_FOUND, Json(json!({"err": "Not found"}))) })
}

/// `GET /metrics`, as Prometheus reads it.
async fn exposition(State(metrics): State<PrometheusHandle>) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    (kind, metrics.render()).into_response()
}

/// `GET /health`: what a load balancer asks, and a person after it.
async fn health(State(engine): State<Engine>) -> Response {
    let Ok(health) = engine.health().await else {
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
    }))
    .into_response()
}
