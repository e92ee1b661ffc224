//! Keys in the file, and their changes as other handles see them.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use gatepost_sqlite::SqliteStore;
use gatepost_storage::ErrorKind;
use gatepost_storage::keys::{ChangedKeys, KeyShard, KeyStore as _, KeyUse};
use gatepost_testkit::fixtures::{at, key};
use rusqlite::Connection;

use crate::common::fresh;

#[tokio::test]
async fn deleted_key_takes_its_days_of_use_along() {
    let (store, _, folder) = fresh().await;
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let uses = KeyUse {
        key: row.id,
        day: at(0).date_naive(),
        used: 2,
        refused: 1,
    };
    store.record_uses(&[uses]).await.unwrap();
    let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
    let days = || -> u32 {
        let count = "SELECT count(*) FROM gatepost_key_use";
        file.query_row(count, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(days(), 1);
    store.delete_key(row.id, at(1)).await.unwrap();
    assert_eq!(days(), 0);
}

#[tokio::test]
async fn another_handle_sees_deleted_key_immediately() {
    let (one, config, _folder) = fresh().await;
    let other = SqliteStore::open(config).await.unwrap();
    let row = one.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let shard = KeyShard::of(row.key.lookup);
    let before = other.key_generation(shard).unwrap();
    assert!(other.key_by_lookup(row.key.lookup).await.unwrap().is_some());

    one.delete_key(row.id, at(0)).await.unwrap();
    assert!(other.key_generation(shard).unwrap() > before);
    assert_eq!(other.key_by_lookup(row.key.lookup).await.unwrap(), None);
    let changes = other.key_changes(shard, before).await.unwrap();
    assert_eq!(changes.changed, ChangedKeys::These(vec![row.key.lookup]));
    let never = gatepost_storage::keys::KeyGeneration(77);
    assert_eq!(
        other.key_changes(shard, never).await.unwrap().changed,
        ChangedKeys::All
    );
}

/// A commit that moved keys costs one read, however many requests present keys of its shards.
#[tokio::test]
async fn key_changes_are_read_once_per_commit() {
    let (store, _, folder) = fresh().await;
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let shard = KeyShard::of(row.key.lookup);
    let before = store.key_generation(shard).unwrap();
    store.delete_key(row.id, at(0)).await.unwrap();
    assert!(store.key_generation(shard).unwrap() > before);

    let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
    file.execute("DELETE FROM gatepost_key_change", []).unwrap();
    let changes = store.key_changes(shard, before).await.unwrap();
    assert_eq!(changes.changed, ChangedKeys::These(vec![row.key.lookup]));

    // Changes that are not in memory, or cannot be read, are taken from the file.
    let before = store.key_generation(shard).unwrap();
    file.execute_batch(
        "BEGIN; UPDATE gatepost_key_generation SET generation = generation + 2000;
        UPDATE gatepost_key_shard SET generation = generation + 2000; COMMIT",
    )
    .unwrap();
    let now = store.key_generation(shard).unwrap();
    assert_eq!(now.0, before.0 + 2000);
    let changes = store.key_changes(shard, before).await.unwrap();
    assert_eq!(changes.changed, ChangedKeys::These(vec![]));
    file.execute_batch("UPDATE gatepost_key_shard SET forgotten = generation")
        .unwrap();
    let changes = store.key_changes(shard, before).await.unwrap();
    assert_eq!(changes.changed, ChangedKeys::All);
}

#[test]
fn key_changes_are_known_without_free_thread() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.max_blocking_threads(1).build().unwrap();
    runtime.block_on(async {
        let (store, _, _folder) = fresh().await;
        let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
        let shard = KeyShard::of(row.key.lookup);
        let before = store.key_generation(shard).unwrap();
        store.delete_key(row.id, at(0)).await.unwrap();

        let (release, busy) = std::sync::mpsc::channel::<()>();
        let thread = tokio::task::spawn_blocking(move || busy.recv());
        let mut context = Context::from_waker(Waker::noop());
        let Poll::Ready(changes) = pin!(store.key_changes(shard, before)).poll(&mut context) else {
            panic!("requests that present keys of this shard would wait for a thread");
        };
        let changed = changes.unwrap().changed;
        assert_eq!(changed, ChangedKeys::These(vec![row.key.lookup]));
        drop(release);
        assert!(thread.await.unwrap().is_err());

        store.close().await;
        let closed = store.key_changes(shard, before).await.unwrap_err();
        assert_eq!(closed.kind(), ErrorKind::Unavailable);
    });
}
