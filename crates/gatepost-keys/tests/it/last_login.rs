//! Only a successful authentication is a login (SPEC 5.1 rule 6).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use apikey_core::{KeyDraft, OwnerId};
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, Denied, KeyService, Principal, Via,
};
use gatepost_kv::MemoryStore;

#[derive(Debug, Default)]
struct Users {
    disabled: AtomicBool,
}

impl Accounts for Users {
    fn account(&self, _owner: OwnerId) -> AccountAnswer<'_> {
        let mut account = Account::enabled(AccessLevel::User);
        account.enabled = !self.disabled.load(Ordering::SeqCst);
        AccountAnswer::Now(Ok(Some(account)))
    }
}

#[tokio::test]
async fn key_of_disabled_user_does_not_log_in() {
    let users = Arc::new(Users::default());
    let keys = KeyService::builder(Arc::new(MemoryStore::new()), users.clone()).build();
    let user = Principal::new(
        OwnerId(1),
        Account::enabled(AccessLevel::User),
        Via::Platform,
    );
    let draft = KeyDraft::new(OwnerId(1), "k".parse().unwrap());
    let (row, reveal) = keys.create(&user, draft).await.unwrap();
    let header = format!("Bearer {}", reveal.reveal().as_str());
    let present = async || {
        keys.authenticate([header.as_bytes()], "10.0.0.1".parse().unwrap())
            .await
            .map(drop)
    };
    let last = async || {
        keys.get(&user, row.id)
            .await
            .unwrap()
            .unwrap()
            .key
            .last_login
    };

    users.disabled.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        assert_eq!(present().await, Err(Denied::Unauthenticated));
    }
    assert_eq!(last().await, None, "neither from the store nor from memory");
    users.disabled.store(false, Ordering::SeqCst);
    assert_eq!(present().await, Ok(()));
    assert!(last().await.is_some());
}
