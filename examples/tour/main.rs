//! The whole story in a few seconds: `cargo run --example tour`.
//!
//! Keys are made, used, refused, expired and deleted; webhooks are triggered, retried and recorded.
//! Everything happens on 127.0.0.1 with the program's own receiver and database file, and every
//! line that begins with `ok` was checked. The program ends with success only if all of them held.

mod keys;
mod webhooks;

use std::error::Error;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use delivery::{Schedule, Sender, TargetPolicy};
use examples::certificate::self_signed;
use examples::receiver::Receiver;
use examples::story::Story;
use gatepost_engine::Engine;
use gatepost_http::Api;
use gatepost_keys::{AccessLevel, Account, AccountAnswer, Accounts, AuthLayer, KeyService};
use gatepost_manage::Management;
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::{Clock, ManualClock, SystemClock};
use tokio::net::TcpListener;
use webhook_model::{Catalog, OwnerId, Specificity};

/// The platform's users: Ada (1), and nobody else.
#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(
            (owner == keys::ADA).then(|| Account::enabled(AccessLevel::User))
        ))
    }
}

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    // The embedded default: one file. It is removed when the tour is over.
    let folder = tempfile::tempdir()?;
    let config = SqliteConfig::file(folder.path().join("gatepost.db"));
    let store = Arc::new(SqliteStore::open(config).await?);
    // The program moves the keys' clock: nobody wants to wait 30 days for a key to expire.
    let clock = Arc::new(ManualClock::at(SystemClock.now()));
    let keys = KeyService::builder(store.clone(), Arc::new(Users))
        .clock(clock.clone())
        .build();

    let certificate = self_signed()?;
    let receiver = Receiver::start(Some(&certificate)).await?;
    let sender = Sender::builder(TargetPolicy::public().allow("127.0.0.0/8".parse()?))
        .extra_root(certificate.der.clone())
        .build()?;
    // One system with its users, as SPEC describes it: everybody may watch everything.
    let engine = Engine::builder(store.clone(), sender)
        .one_system(Arc::new(Users))
        .catalog(catalog()?)
        .schedule(Schedule::new([
            Duration::from_millis(100),
            Duration::from_millis(300),
        ])?)
        .start()
        .await?;

    let guard = AuthLayer::new(keys.clone(), |ext| {
        ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
    });
    let management = Management::builder(keys.clone(), engine.clone()).build();
    let api = Api::builder(management, guard).build();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let server = listener.local_addr()?;
    tokio::spawn(examples::serve::serve(
        listener,
        None,
        Router::new().nest("/api/v4", api.router()),
        std::future::pending(),
    ));

    let mut story = Story::default();
    keys::tell(&mut story, &keys, &clock, server).await?;
    webhooks::tell(&mut story, &engine, &receiver).await?;
    engine.shutdown(Duration::from_secs(1)).await;
    keys.shutdown().await;
    store.close().await;
    Ok(if story.end() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Returns the events of this platform.
fn catalog() -> Result<Catalog, webhook_model::Invalid> {
    let catalog = Catalog::builder()
        .event_type(
            "vms",
            "Virtual Machines",
            Specificity::InstanceOrTag,
            &[("poweron", "Powered on"), ("poweroff", "Powered off")],
        )?
        .event_type(
            "alarms",
            "Alarms",
            Specificity::Generic,
            &[("raised", "Raised")],
        )?;
    Ok(catalog.build())
}
