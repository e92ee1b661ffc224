//! The quick start of the front page: an API behind keys, and a webhook that is delivered.
//!
//! `cargo run --example quick_start` in a folder where `gatepost.db` may be made, then the lines of
//! the README.
#![allow(clippy::print_stdout, reason = "a program that talks to a person")]

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use axum::routing::post;
use gatepost::prelude::*;
use tokio::net::TcpListener;

#[derive(Debug)]
struct Users; // yours: what may they do, now?
impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(
            (owner.0 == 1).then(|| Account::enabled(AccessLevel::SystemAdministrator))
        ))
    }
}

type Machines = (Engine, Occurrence);
async fn power_on(State((engine, on)): State<Machines>) -> Result<&'static str, StatusCode> {
    // Your work, and then: whoever asked for it receives a webhook.
    engine
        .emit(on)
        .await
        .map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    Ok("on\n")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let store = Arc::new(SqliteStore::open(SqliteConfig::file("gatepost.db")).await?);
    let keys = KeyService::builder(store.clone(), Arc::new(Users)).build();
    let targets = TargetPolicy::public().allow("127.0.0.0/8".parse()?); // without: never this machine
    let events = Catalog::builder()
        .event_type(
            "vms",
            "Machines",
            Specificity::Generic,
            &[("on", "Switched on")],
        )?
        .build();
    let engine = Engine::builder(store, Sender::builder(targets).build()?);
    let engine = engine
        .one_system(Arc::new(Users))
        .catalog(events)
        .start()
        .await?; // customers? docs/tenants.md
    let guard = AuthLayer::new(keys.clone(), |ext| {
        ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
    });
    let api = Api::builder(
        Management::builder(keys.clone(), engine.clone()).build(),
        guard.clone(),
    )
    .build();
    let on = Occurrence::new("vms".parse()?, "on".parse()?, Audience::OneSystem);
    let app = Router::new()
        .route("/machines/on", post(power_on))
        .layer(guard);
    let app = app.nest("/api/v4", api.router()).with_state((engine, on));

    let ada = Principal::new(
        OwnerId(1),
        Account::enabled(AccessLevel::SystemAdministrator),
        Via::Platform,
    );
    let (_, once) = keys
        .create(&ada, KeyDraft::new(ada.owner, "first".parse()?))
        .await?; // as your page of keys does
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!(
        "KEY={} URL=http://{}",
        once.reveal().as_str(),
        listener.local_addr()?
    );
    Ok(axum::serve(
        listener,
        app.into_make_service_with_connect_info::<SocketAddr>(),
    )
    .await?)
}
