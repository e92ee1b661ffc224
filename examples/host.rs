//! A small platform that embeds everything: users, virtual machines, API keys, webhooks.
//!
//! `cargo run --example host -- [--listen 127.0.0.1:8080] [--data DIR|memory|postgres://…] [--tls-self-signed]
//! [--admin-password PW] [--allow-private-targets]`
#![allow(clippy::print_stdout, reason = "a program that talks to a person")]

use std::error::Error;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use apikey_auth::{AuthLayer, KeyService};
use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use delivery::{Sender, TargetPolicy};
use examples::certificate::self_signed;
use examples::platform::Platform;
use examples::session::Sessions;
use http_api::{Api, Console, VersionFacts};
use serde_json::{Value, json};
use storage::webhooks::WebhookStore;
use storage::{KeyStore, MemoryStore};
use storage_postgres::{PostgresConfig, PostgresStore};
use storage_sqlite::{SqliteConfig, SqliteStore};
use task_engine::Engine;
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

#[derive(Debug)]
struct Options {
    listen: SocketAddr,
    data: String,
    tls: bool,
    password: String,
    private_targets: bool,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let password = format!("{:016x}", rand::random::<u64>());
        let mut options = Self {
            listen: "127.0.0.1:8080".parse()?,
            data: "gatepost-data".into(),
            tls: false,
            password,
            private_targets: false,
        };
        while let Some(option) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{option} needs a value"));
            match option.as_str() {
                "--listen" => {
                    let address = value()?.parse();
                    options.listen =
                        address.map_err(|_| "--listen needs an address such as 127.0.0.1:8080")?;
                }
                "--data" => options.data = value()?,
                "--tls-self-signed" => options.tls = true,
                "--admin-password" => options.password = value()?,
                "--allow-private-targets" => options.private_targets = true,
                other => return Err(format!("unknown option {other}").into()),
            }
        }
        Ok(options)
    }
}

impl Options {
    /// Where the certificate is written: beside the data, if that is a folder.
    fn certificate(&self) -> PathBuf {
        let folder = Path::new(&self.data);
        if folder.is_dir() {
            folder.join("cert.pem")
        } else {
            PathBuf::from("cert.pem")
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    let (key_store, webhook_store) = open(&options.data).await?;
    let platform = Arc::new(Platform::new(&options.password));
    let keys = KeyService::builder(key_store, platform.clone()).build();
    let mut policy = TargetPolicy::public();
    for net in PRIVATE.iter().filter(|_| options.private_targets) {
        policy = policy.allow(net.parse()?);
    }
    let engine = Engine::builder(webhook_store, Sender::builder(policy).build()?)
        .catalog(Platform::catalog()?)
        .start()
        .await?;
    let guard = AuthLayer::new(keys.clone(), |ext| {
        ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
    })
    .host_login(platform.clone());
    let api = Api::builder(keys.clone(), engine.clone(), guard.clone())
        .names(platform.clone())
        .version(VersionFacts::new("26.1.8", "example"))
        .build();
    let passwords = platform.clone();
    let sessions = Sessions::new(options.tls, move |name, password| {
        passwords.password(name, password)
    });
    let console = Console::builder(keys.clone(), engine.clone(), Arc::new(sessions.clone()))
        .title("Example platform")
        .objects(platform)
        .build();
    let own = Router::new()
        .route("/users", list("users"))
        .route("/vms", list("vms"))
        .route("/tags", list("tags"))
        .route("/vm_actions", post(vm_action))
        .with_state(engine.clone());
    let health = Router::new()
        .route("/health", get(health))
        .with_state(engine.clone());
    let app = Router::new()
        .nest("/api/v4", own.layer(guard).merge(api.router()))
        .merge(api.version_router())
        .merge(sessions.router())
        .merge(console.router())
        .merge(health);

    let listener = TcpListener::bind(options.listen).await?;
    let certificate = if options.tls {
        Some(self_signed()?)
    } else {
        None
    };
    if let Some(certificate) = &certificate {
        std::fs::write(options.certificate(), &certificate.pem)?;
    }
    tell(&options, listener.local_addr()?);
    let stop = async { examples::serve::stop_signal().await.unwrap_or_default() };
    examples::serve::serve(listener, certificate.map(|c| c.server), app, stop).await?;
    engine.shutdown(Duration::from_secs(10)).await;
    keys.shutdown().await;
    Ok(())
}

/// Where everything is kept.
async fn open(data: &str) -> Result<(Arc<dyn KeyStore>, Arc<dyn WebhookStore>), Failure> {
    if data == "memory" {
        let store = Arc::new(MemoryStore::new());
        return Ok((store.clone(), store));
    }
    if data.starts_with("postgres://") || data.starts_with("postgresql://") {
        let store = Arc::new(PostgresStore::connect(PostgresConfig::url(data)).await?);
        return Ok((store.clone(), store));
    }
    std::fs::create_dir_all(data)?;
    let file = Path::new(data).join("gatepost.db");
    let store = Arc::new(SqliteStore::open(SqliteConfig::file(file)).await?);
    Ok((store.clone(), store))
}

fn tell(options: &Options, addr: SocketAddr) {
    let (scheme, trust) = if options.tls {
        (
            "https",
            format!(" --cacert {}", options.certificate().display()),
        )
    } else {
        ("http", String::new())
    };
    let (base, login) = (
        format!("{scheme}://{addr}/api/v4"),
        format!("admin:{}", options.password),
    );
    println!("user admin, password {}", options.password);
    println!("Try:");
    println!(
        "  curl{trust} -u '{login}' {base}/user_api_keys -d '{{\"user\":1,\"name\":\"first\"}}'"
    );
    println!(
        "  curl{trust} -u '{login}' {base}/webhook_urls -d '{{\"name\":\"test\",\"url\":\"https://example.com/hook\"}}'"
    );
    println!(
        "  curl{trust} -u '{login}' {base}/vm_actions -d '{{\"vm\":1,\"action\":\"poweron\"}}'"
    );
    println!("  a browser at {scheme}://{addr}/console/");
    println!("listening on {scheme}://{addr}");
}

fn list(table: &'static str) -> axum::routing::MethodRouter<Engine> {
    get(move || async move { Json(Platform::rows(table).unwrap_or_default()) })
}

/// `POST vm_actions {"vm": 1, "action": "poweron"}`: something happens.
async fn vm_action(State(engine): State<Engine>, body: String) -> Response {
    let refuse = |status, text: String| (status, Json(json!({"err": text}))).into_response();
    let Ok(body) = serde_json::from_str::<Value>(&body) else {
        return refuse(StatusCode::BAD_REQUEST, "The body is not JSON".into());
    };
    let vm = body["vm"]
        .as_i64()
        .or_else(|| body["vm"].as_str()?.parse().ok())
        .unwrap_or_default();
    let occurrence = match Platform::vm_event(vm, body["action"].as_str().unwrap_or_default()) {
        Ok(Some(occurrence)) => occurrence,
        Ok(None) => return refuse(StatusCode::NOT_FOUND, "Not found".into()),
        Err(_) => {
            return refuse(
                StatusCode::UNPROCESSABLE_ENTITY,
                "Validation error on field: 'action' - 'is not an action'".into(),
            );
        }
    };
    match engine.emit(occurrence).await {
        Ok(_) => Json(json!({})).into_response(),
        Err(error) => refuse(StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
    }
}

async fn health(State(engine): State<Engine>) -> Response {
    match engine.health().await {
        Ok(health) => Json(json!({"queued": health.queued, "running": health.running, "in_flight": health.in_flight, "error_rate": health.error_rate, "recording": health.recording})).into_response(),
        Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}
