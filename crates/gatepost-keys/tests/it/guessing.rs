//! Guesses are slowed down by address, and lock nobody out.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use apikey_core::{KeyDraft, KeyString, OwnerId, Prefix};
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, Denied, FailureLimit, GuessLimits, KeyService,
    Principal, Via,
};
use gatepost_kv::MemoryStore;

#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, _owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Some(Account::enabled(AccessLevel::User))))
    }
}

async fn service() -> (KeyService, String) {
    let three = NonZeroU32::new(3).unwrap();
    let keys = KeyService::builder(Arc::new(MemoryStore::new()), Arc::new(Users))
        .guess_limits(
            GuessLimits::default().with_address(FailureLimit::new(three, Duration::from_secs(60))),
        )
        .build();
    let user = Principal::new(
        OwnerId(1),
        Account::enabled(AccessLevel::User),
        Via::Platform,
    );
    let draft = KeyDraft::new(OwnerId(1), "k".parse().unwrap());
    let (_, reveal) = keys.create(&user, draft).await.unwrap();
    (keys, format!("Bearer {}", reveal.reveal().as_str()))
}

fn guess() -> String {
    format!(
        "Bearer {}",
        KeyString::generate(&Prefix::default(), &mut rand::rng())
            .unwrap()
            .as_str()
    )
}

async fn present(keys: &KeyService, header: &str, from: &str) -> Result<(), Denied> {
    keys.authenticate([header.as_bytes()], from.parse().unwrap())
        .await
        .map(drop)
}

#[tokio::test]
async fn fifth_guess_is_refused_and_good_key_passes() {
    let (keys, good) = service().await;
    for _ in 0..4 {
        assert_eq!(
            present(&keys, &guess(), "10.0.0.1").await,
            Err(Denied::Unauthenticated)
        );
    }
    let refused = present(&keys, &guess(), "10.0.0.1").await;
    let Err(Denied::TooManyFailures(retry)) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(retry.seconds(), 1);
    assert_eq!(
        present(&keys, &good, "10.0.0.1").await,
        Ok(()),
        "the owner behind the same address"
    );
    assert_eq!(
        present(&keys, &guess(), "10.0.0.2").await,
        Err(Denied::Unauthenticated),
        "another address"
    );
}

#[tokio::test]
async fn an_ipv6_network_counts_as_one_client() {
    let (keys, _) = service().await;
    for n in 0..4 {
        assert_eq!(
            present(&keys, &guess(), &format!("2001:db8::{n}")).await,
            Err(Denied::Unauthenticated)
        );
    }
    assert!(matches!(
        present(&keys, &guess(), "2001:db8::ffff:1").await,
        Err(Denied::TooManyFailures(_))
    ));
    assert_eq!(
        present(&keys, &guess(), "2001:db8:0:1::1").await,
        Err(Denied::Unauthenticated),
        "the next /64"
    );
}

#[tokio::test]
async fn request_without_credential_is_no_guess() {
    let (keys, _) = service().await;
    let from: IpAddr = "10.0.0.1".parse().unwrap();
    for _ in 0..20 {
        assert_eq!(
            keys.authenticate([], from).await.unwrap_err(),
            Denied::Unauthenticated
        );
    }
}

#[tokio::test]
async fn repeated_old_key_locks_nobody_out() {
    let (keys, _) = service().await;
    let old = guess();
    for _ in 0..50 {
        assert_eq!(
            present(&keys, &old, "10.0.0.1").await,
            Err(Denied::Unauthenticated)
        );
    }
    let here = "10.0.0.1".parse().unwrap();
    assert!(keys.guesses().attempt("ada", here).is_ok());
}
