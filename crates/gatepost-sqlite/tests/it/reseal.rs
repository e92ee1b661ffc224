//! Sealing under another key, and the records that a missing key makes unreadable.

use std::path::Path;

use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::seal::{Resealed, SealingKey, SealingKeys};
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, OwnerStore as _, Scope};
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, message, settlement_of, stored_webhook, webhook,
};
use webhook_model::{OwnerId, WebhookId};

fn key(id: u8) -> SealingKey {
    SealingKey::new(id.into(), [id; 32])
}

async fn open(path: &Path, keys: SealingKeys) -> SqliteStore {
    let config = SqliteConfig::file(path).with_sealing(keys);
    SqliteStore::open(config).await.unwrap()
}

async fn insert(path: &Path, keys: SealingKeys, name: &str) -> WebhookId {
    let store = open(path, keys).await;
    let row = store.insert_webhook(&webhook(name), UNLIMITED, at(0)).await;
    store.close().await;
    row.unwrap().id
}

#[tokio::test]
async fn reseal_passes_over_unreadable_webhooks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gatepost.db");
    let lost = insert(&path, SealingKeys::new(key(9)), "lost").await;
    let damaged = insert(&path, SealingKeys::new(key(1)), "damaged").await;
    let old = insert(&path, SealingKeys::new(key(1)), "old").await;
    let raw = rusqlite::Connection::open(&path).unwrap();
    let sql = "UPDATE gatepost_webhook SET headers = x'05' WHERE id = ?1";
    raw.execute(sql, [damaged.0]).unwrap();

    let store = open(&path, SealingKeys::new(key(2)).with_old(key(1))).await;
    let resealed = store.reseal().await.unwrap();
    assert_eq!((resealed.changed, resealed.unreadable), (1, 2));
    store.close().await;
    let store = open(&path, SealingKeys::new(key(2))).await;
    assert!(store.webhook(old).await.unwrap().is_some());
    let owner = Scope::Owner(OwnerId(1));
    for id in [lost, damaged] {
        let refused = store.webhook(id).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Corrupt);
        let listed = store.unreadable(owner, 9).await.unwrap();
        let records: Vec<_> = listed.iter().map(|listed| listed.record).collect();
        assert_eq!(records.first(), Some(&RecordId::Webhook(id)));
        let deleted = store.delete_webhook(id, Cascade::Refuse, at(1)).await;
        deleted.unwrap();
    }
    while store.remove_gone(9, at(2)).await.unwrap() == 9 {}
    assert_eq!(store.reseal().await.unwrap(), Resealed::default());
}

#[tokio::test]
async fn attempts_without_their_key_read_as_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gatepost.db");
    let mut settled = Vec::new();
    for keys in [SealingKeys::none(), SealingKeys::new(key(1))] {
        let store = open(&path, keys).await;
        let name = format!("w{}", settled.len());
        let hook = stored_webhook(&store, &name).await;
        let new = direct(vec![message(hook, &name, at(0))]);
        store.enqueue(new, at(0)).await.unwrap();
        let first = QueueClaim {
            queue: WebhookQueue {
                webhook: hook,
                class: QueueClass::First,
            },
            limit: 1,
        };
        let claimed = store.claim(&[first], at(10), at(0)).await.unwrap();
        let claim = Claim {
            delivery: claimed[0].delivery.id,
            token: claimed[0].token,
        };
        let sent = settlement_of(claim, Disposition::Sent);
        settled.push((claim.delivery, sent.attempt.clone().unwrap()));
        store.settle(vec![sent], at(1)).await.unwrap();
        store.close().await;
    }
    let heads = |attempt: &AttemptRecord| {
        [
            attempt.request_head.clone(),
            attempt.response_head.clone(),
            attempt.response_body.clone(),
        ]
    };
    let read = async |keys| {
        let store = open(&path, keys).await;
        let mut all = Vec::new();
        for (delivery, _) in &settled {
            let attempts = store.attempts(*delivery, 9).await.unwrap();
            all.push((heads(&attempts[0]), attempts[0].kept));
        }
        store.close().await;
        all
    };
    let whole = |at: usize| (heads(&settled[at].1), true);
    let rotated = SealingKeys::new(key(2)).with_old(key(1));
    assert_eq!(read(rotated).await, [whole(0), whole(1)]);
    let lost = ([vec![], vec![], vec![]], false);
    for keys in [SealingKeys::new(key(2)), SealingKeys::none()] {
        assert_eq!(read(keys).await, [whole(0), lost.clone()]);
    }
}
