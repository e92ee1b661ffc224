//! A program with a single test, because it counts the allocations of its process: a key that is in
//! memory costs none.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use apikey_core::{Grant, KeyDraft, OwnerId, RateLimit};
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, KeyService, Principal, TenantId, Via,
};
use gatepost_kv::MemoryStore;

#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, _owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Some(account())))
    }
}

fn account() -> Account {
    Account::enabled(AccessLevel::User).in_tenant(TenantId(5))
}

/// Polls a future that must be ready immediately, because its key is in memory.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a key in memory was waited for"),
    }
}

#[tokio::test(start_paused = true)]
async fn cached_key_authenticates_without_allocation() {
    let keys = KeyService::builder(Arc::new(MemoryStore::new()), Arc::new(Users)).build();
    let draft = KeyDraft::new(OwnerId(1), "k".parse().unwrap())
        .with_grant(Grant::new(
            true,
            "tasks,vms".parse().unwrap(),
            "deploy".parse().unwrap(),
        ))
        .with_limit(Some(RateLimit::per_minute(1_000_000).unwrap()));
    let user = Principal::new(OwnerId(1), account(), Via::Platform);
    let (_, reveal) = keys.create(&user, draft).await.unwrap();
    let header = format!("Bearer {}", reveal.reveal().as_str());
    let from = "10.0.0.1".parse().unwrap();
    let present = || ready(keys.authenticate([header.as_bytes()], from)).unwrap();
    let cold = keys.authenticate([header.as_bytes()], from).await;
    assert_eq!(cold.unwrap().owner, OwnerId(1));
    present();
    let hot = allocation_counter::measure(|| {
        for _ in 0..100 {
            present();
        }
    });
    assert_eq!(hot.count_total, 0);
    // The same holds for the first login after the last were written.
    keys.shutdown().await;
    let first = allocation_counter::measure(|| drop(present()));
    assert_eq!(first.count_total, 0);
}
