//! The quick start: an API behind keys, and a webhook that is delivered to a receiver in this
//! program.
//!
//! `cargo run --example quick_start` calls the API with a key, prints the delivery that follows,
//! and serves until Ctrl-C. Its database is in a temporary folder, which is removed at the end.
#![allow(clippy::print_stdout, reason = "a program that talks to a person")]

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use axum::routing::post;
use examples::client::call;
use examples::receiver::Receiver;
use gatepost::prelude::*;
use gatepost::webhook::{Action, Event, Invalid, Target, Task, Webhook};
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

/// A route of yours.
async fn power_on(State(engine): State<Engine>) -> Result<&'static str, StatusCode> {
    // Your work comes first. Then you report what has happened.
    let on = occurrence().map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    engine
        .emit(on)
        .await
        .map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    Ok("on\n")
}

fn occurrence() -> Result<Occurrence, Invalid> {
    let on = Occurrence::new("vms".parse()?, "on".parse()?, Audience::OneSystem);
    Ok(on.with_object(Object::new(ObjectId::from(7), "web-1")))
}

/// A user creates these in the console or over the REST API.
async fn subscribe(engine: &Engine, owner: OwnerId, url: &str) -> Result<(), Box<dyn Error>> {
    let webhook = Webhook::new(owner, "chat".parse()?, url.parse()?);
    let webhook = engine.create_webhook(&webhook).await?.id;
    let message = r#"{"text":"${NAME} is on"}"#.parse()?;
    let task = Task::new(
        owner,
        "notify the chat".parse()?,
        Action::Send { webhook, message },
    );
    let task = engine.create_task(&task).await?.id;
    let event = Event::new("vms".parse()?, "on".parse()?, Target::Generic, task);
    engine.create_event(&event).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Yours is a path that stays, or a PostgreSQL database.
    let folder = tempfile::tempdir()?;
    let file = SqliteConfig::file(folder.path().join("gatepost.db"));
    let store = Arc::new(SqliteStore::open(file).await?);
    let keys = KeyService::builder(store.clone(), Arc::new(Users)).build();

    let events = Catalog::builder()
        .event_type(
            "vms",
            "Machines",
            Specificity::Generic,
            &[("on", "Switched on")],
        )?
        .build();
    // Without `allow`, webhooks reach public addresses only.
    let targets = TargetPolicy::public().allow("127.0.0.0/8".parse()?);
    let engine = Engine::builder(store.clone(), Sender::builder(targets).build()?)
        .one_system(Arc::new(Users)) // with customers: guides/tenants.md
        .catalog(events)
        .start()
        .await?;

    let guard = AuthLayer::new(keys.clone(), |ext| {
        ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
    });
    let management = Management::builder(keys.clone(), engine.clone()).build();
    let api = Api::builder(management, guard.clone()).build();
    let app = Router::new()
        .route("/machines/on", post(power_on))
        .layer(guard)
        .nest("/api/v4", api.router())
        .with_state(engine.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let server = listener.local_addr()?;
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    let stop = async { drop(tokio::signal::ctrl_c().await) };
    let serving = axum::serve(listener, app).with_graceful_shutdown(stop);
    let serving = tokio::spawn(serving.into_future());

    // Your "new key" form does this for a user who is logged in.
    let ada = Principal::new(
        OwnerId(1),
        Account::enabled(AccessLevel::SystemAdministrator),
        Via::Platform,
    );
    let draft = KeyDraft::new(ada.owner, "first".parse()?);
    let (_, once) = keys.create(&ada, draft).await?;
    let key = once.reveal();
    println!("KEY={} URL=http://{server}", key.as_str());

    // A receiver, a webhook that sends to it, and a call of the API with the key.
    let receiver = Receiver::start(None).await?;
    let url = format!("http://{}/hook", receiver.addr);
    subscribe(&engine, ada.owner, &url).await?;
    let path = "/machines/on";
    let response = call(server, server.ip(), "POST", path, Some(key.as_str()), None).await?;
    println!("\nPOST {path}: {}", response.status);
    let delivery = receiver.wait_for("/hook", 1).await?;
    println!("\nThe delivery that followed:\n");
    for (name, value) in &delivery.headers {
        println!("{name}: {}", value.to_str()?);
    }
    println!("\n{}\n\nServing until Ctrl-C.", delivery.body);

    serving.await??;
    engine.shutdown(Duration::from_secs(1)).await;
    keys.shutdown().await;
    store.close().await;
    Ok(())
}
