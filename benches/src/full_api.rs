//! The whole API on a store, and its guard.
#![allow(
    clippy::unwrap_used,
    reason = "a measurement stops where it cannot be taken"
)]

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::ConnectInfo;
use delivery::{Sender, TargetPolicy};
use gatepost_engine::Engine;
use gatepost_http::Api;
use gatepost_ids::{AccessLevel, Account, AccountAnswer, Accounts, OwnerId};
use gatepost_keys::{AuthLayer, KeyService};
use gatepost_manage::Management;
use gatepost_storage::KeyStore;
use gatepost_storage::webhooks::WebhookStore;

use crate::one_system;

/// The accounts: every user exists, and may do everything.
#[derive(Debug)]
struct Administrators;

impl Accounts for Administrators {
    fn account(&self, _owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Some(Account::enabled(AccessLevel::SystemAdministrator))))
    }
}

/// Returns the guard, and the API below `/api/v4`, whose users are all administrators.
///
/// # Panics
/// If the engine does not start.
pub async fn whole<S: KeyStore + WebhookStore>(store: Arc<S>) -> (AuthLayer, Router) {
    let keys = KeyService::builder(store.clone(), Arc::new(Administrators)).build();
    let guard = AuthLayer::new(keys.clone(), |ext| {
        ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
    });
    let sender = Sender::builder(TargetPolicy::public()).build().unwrap();
    let engine = one_system(Engine::builder(store, sender));
    let management = Management::builder(keys, engine.start().await.unwrap()).build();
    let api = Api::builder(management, guard.clone()).build();
    (guard, Router::new().nest("/api/v4", api.router()))
}
