//! A row that cannot be read affects only its owner.

use std::sync::Arc;

use gatepost_engine::Scope;
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::webhooks::{Cascade, RecordId};
use gatepost_testkit::fault::FaultStore;
use webhook_model::{Authorization, Webhook};

use super::{A, B, Platform, engine, switched_on};

#[tokio::test]
async fn unreadable_row_blocks_nothing_and_can_be_deleted() {
    let platform = Platform::start().await;
    platform.watching(A, "a", 110).await;
    platform.engine.shutdown(std::time::Duration::ZERO).await;

    // B's webhook is sealed with a key that the next process does not have.
    let file = platform.folder.path().join("gatepost.db");
    let keys = SealingKeys::new(SealingKey::new(7, [7; 32]));
    let sealed = SqliteStore::open(SqliteConfig::file(file.clone()).with_sealing(keys))
        .await
        .unwrap();
    let sealing = engine(
        Arc::new(FaultStore::new(Arc::new(sealed))),
        platform.users.clone(),
    );
    let sealing = sealing.start().await.unwrap();
    let url = format!("http://{}/b", platform.receiver.addr);
    let mut webhook = Webhook::new(B, "b".parse().unwrap(), url.parse().unwrap());
    webhook.authorization = Authorization::bearer("a-token-of-b").unwrap();
    let lost = sealing.create_webhook(&webhook).await.unwrap().id;
    sealing.shutdown(std::time::Duration::ZERO).await;

    let store = SqliteStore::open(SqliteConfig::file(file)).await.unwrap();
    let engine = engine(
        Arc::new(FaultStore::new(Arc::new(store))),
        platform.users.clone(),
    );
    let engine = engine.start().await.unwrap();
    engine.emit(switched_on(110)).await.unwrap();
    platform.receiver.wait_for("/a", 1).await.unwrap();
    let unreadable = engine.unreadable(Scope::Owner(B), 10).await.unwrap();
    let [row] = unreadable.as_slice() else {
        panic!("{unreadable:?}")
    };
    assert_eq!((row.record, row.owner), (RecordId::Webhook(lost), B));
    assert!(!row.reason.contains("a-token-of-b"), "{}", row.reason);
    assert_eq!(engine.unreadable(Scope::Owner(A), 10).await.unwrap(), []);
    engine.delete_webhook(lost, Cascade::Tasks).await.unwrap();
    assert_eq!(engine.unreadable(Scope::All, 10).await.unwrap(), []);
}
