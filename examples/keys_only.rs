//! API keys in front of an axum app, and nothing else: no engine is compiled, no sender.
//!
//! `cargo run -p examples --no-default-features --example keys_only`, then the line that it prints.
#![allow(clippy::print_stdout, reason = "a program that talks to a person")]

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use apikey_core::{KeyDraft, OwnerId};
use axum::extract::ConnectInfo;
use axum::routing::get;
use axum::{Extension, Router};
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, AuthLayer, KeyService, Principal, Via,
};
use gatepost_kv::MemoryStore;
use tokio::net::TcpListener;

/// The platform's users. Gatepost asks for each request who a user is and what they may do.
#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(
            (owner == OwnerId(1)).then(|| Account::enabled(AccessLevel::User))
        ))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let keys = KeyService::builder(Arc::new(MemoryStore::new()), Arc::new(Users)).build();

    // The code behind a "new key" form, for a user who has logged in.
    let ada = Principal::new(
        OwnerId(1),
        Account::enabled(AccessLevel::User),
        Via::Platform,
    );
    let draft = KeyDraft::new(ada.owner, "first".parse()?);
    let (_, once) = keys.create(&ada, draft).await?;
    let key = once.reveal();

    let guard = AuthLayer::new(keys.clone(), |ext| {
        ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
    });
    let app = Router::new().route("/whoami", get(whoami)).layer(guard);
    let listener = TcpListener::bind("127.0.0.1:8080").await?;
    println!("your key, shown this once: {}", key.as_str());
    println!(
        "curl -H 'Authorization: Bearer {}' http://{}/whoami",
        key.as_str(),
        listener.local_addr()?
    );
    drop(key);

    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    let stop = async { drop(tokio::signal::ctrl_c().await) };
    axum::serve(listener, app)
        .with_graceful_shutdown(stop)
        .await?;
    keys.shutdown().await;
    Ok(())
}

async fn whoami(Extension(caller): Extension<Principal>) -> String {
    format!("user {}, {:?}\n", caller.owner, caller.access)
}
