//! The file: its owner, the processes that open it, and its faults.

use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::keys::{ChangedKeys, KeyQuery, KeyShard, KeyStore as _};
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, Page};
use gatepost_testkit::fixtures::{UNLIMITED, at, direct, key, message, stored_webhook, webhook};
use rusqlite::Connection;
use webhook_model::WebhookId;

use crate::common::fresh;

#[tokio::test]
async fn location_that_is_no_path_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().display();
    for location in [
        ":memory:".to_owned(),
        " :MEMORY: ".to_owned(),
        "file::memory:".to_owned(),
        "file::memory:?cache=shared".to_owned(),
        format!("file:{there}/a.db?mode=memory"),
        format!("FILE:{there}/a.db"),
        format!("sqlite://{there}/a.db"),
        "postgres://app:s3cret@db/app".to_owned(),
        String::new(),
    ] {
        let opened = SqliteStore::open(SqliteConfig::file(&location)).await;
        let refused = opened.err().unwrap_or_else(|| panic!("{location:?}"));
        assert_eq!(refused.kind(), ErrorKind::Invalid, "{location:?}");
        let said = refused.to_string();
        assert!(said.contains("SqliteConfig::file takes"), "{said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
    for path in ["a:b.db", "memory", "file/a.db", ":memory:"] {
        let path = folder.path().join(path);
        let store = SqliteStore::open(SqliteConfig::file(&path)).await.unwrap();
        store.close().await;
        assert!(path.is_file(), "{path:?}");
    }
}

/// As after a restored copy: nothing that was read of the later file may be used.
#[tokio::test]
async fn a_file_that_went_back_is_read_again() {
    let (store, _, folder) = fresh().await;
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let shard = KeyShard::of(row.key.lookup);
    let row = store.update_key(&row, at(0)).await.unwrap();
    store.update_key(&row, at(0)).await.unwrap();
    let now = store.key_generation(shard).unwrap();
    let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
    file.execute_batch(
        "BEGIN; UPDATE gatepost_key_generation SET generation = generation - 1;
        UPDATE gatepost_key_shard SET generation = generation - 1 WHERE generation > 0;
        DELETE FROM gatepost_key_change; COMMIT",
    )
    .unwrap();
    assert_eq!(store.key_generation(shard).unwrap().0, now.0 - 1);
    let changes = store.key_changes(shard, now).await.unwrap();
    assert_eq!(changes.changed, ChangedKeys::All);
}

#[tokio::test]
async fn long_file_lock_makes_only_writes_unavailable() {
    let (store, config, folder) = fresh().await;
    store.close().await;
    let config = config.with_busy_timeout(std::time::Duration::from_millis(50));
    let store = SqliteStore::open(config.clone()).await.unwrap();
    let host = Connection::open(folder.path().join("gatepost.db")).unwrap();
    host.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    // Reads still work, and so does opening.
    let second = SqliteStore::open(config).await.unwrap();
    assert_eq!(second.webhook(WebhookId(1)).await.unwrap(), None);
    host.execute_batch("COMMIT").unwrap();
    store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
}

#[tokio::test]
async fn full_disk_makes_writes_unavailable_and_keeps_data() {
    let (store, config, _folder) = fresh().await;
    let hook = stored_webhook(&store, "w").await;
    store.close().await;
    let store = SqliteStore::open(config.clone().with_max_pages(80))
        .await
        .unwrap();
    let mut stored = 0;
    let error = loop {
        let mut delivery = message(hook, &format!("m{stored}"), at(0));
        delivery.body = "x".repeat(10_000).into();
        match store.enqueue(direct(vec![delivery]), at(0)).await {
            Ok(_) => stored += 1,
            Err(error) => break error,
        }
        assert!(stored < 1000, "the limit has no effect");
    };
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    store.close().await;
    let store = SqliteStore::open(config).await.unwrap();
    assert_eq!(store.count_queue(at(0)).await.unwrap().queued, stored);
    store
        .enqueue(direct(vec![message(hook, "more", at(0))]), at(0))
        .await
        .unwrap();
}

#[tokio::test]
async fn foreign_files_are_refused_unmarked_database_is_shared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    let open = || SqliteStore::open(SqliteConfig::file(&path));

    std::fs::write(
        &path,
        "this is a text, and long enough to be looked at as a header of a file".repeat(20),
    )
    .unwrap();
    assert_eq!(open().await.unwrap_err().kind(), ErrorKind::Corrupt);
    std::fs::remove_file(&path).unwrap();

    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("PRAGMA application_id = 99; CREATE TABLE t (x)")
        .unwrap();
    assert_eq!(open().await.unwrap_err().kind(), ErrorKind::Unsupported);
    // A platform's own database, without a mark, is shared.
    other.execute_batch("PRAGMA application_id = 0").unwrap();
    open().await.unwrap();
    let mark: i64 = other
        .pragma_query_value(None, "application_id", |r| r.get(0))
        .unwrap();
    assert_eq!(mark, 0);
    other
        .execute_batch("INSERT INTO gatepost_schema VALUES (1000)")
        .unwrap();
    assert_eq!(open().await.unwrap_err().kind(), ErrorKind::Unsupported);
}

#[tokio::test]
async fn newer_file_version_is_refused_and_unchanged() {
    let (store, config, folder) = fresh().await;
    store
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    store.close().await;
    let path = folder.path().join("gatepost.db");
    let newer = Connection::open(&path).unwrap();
    newer
        .execute_batch("INSERT INTO gatepost_schema VALUES (1000)")
        .unwrap();
    newer.close().unwrap();
    let before = std::fs::read(&path).unwrap();
    for _ in 0..3 {
        let refused = SqliteStore::open(config.clone()).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unsupported);
        assert!(refused.to_string().contains("newer version"), "{refused}");
    }
    assert!(std::fs::read(&path).unwrap() == before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_opens_of_new_file_succeed() {
    let folder = tempfile::tempdir().unwrap();
    let config = SqliteConfig::file(folder.path().join("gatepost.db"));
    let opening: Vec<_> = (0..8)
        .map(|_| tokio::spawn(SqliteStore::open(config.clone())))
        .collect();
    for (n, store) in opening.into_iter().enumerate() {
        store
            .await
            .unwrap()
            .unwrap()
            .insert_key(&key(1, &format!("k{n}")), u64::MAX)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn damaged_pages_are_errors() {
    let (store, config, folder) = fresh().await;
    let path = folder.path().join("gatepost.db");
    let file = Connection::open(&path).unwrap();
    let first = file.query_row("PRAGMA page_count", [], |r| r.get(0));
    let first: u16 = first.unwrap();
    file.close().unwrap();
    for n in 0..400 {
        store
            .insert_key(&key(1, &format!("key {n}")), u64::MAX)
            .await
            .unwrap();
    }
    store.close().await;
    let mut bytes = std::fs::read(&path).unwrap();
    let (pages, first) = (bytes.len() / 4096, usize::from(first));
    assert!(pages > first + 2, "{pages} pages");
    // All except the first pages, which hold the schema and the small tables.
    for byte in bytes.iter_mut().skip(4096 * first) {
        *byte = 0xA5;
    }
    std::fs::write(&path, bytes).unwrap();
    let store = SqliteStore::open(config).await.unwrap();
    let error = store
        .list_keys(&KeyQuery::all(Page::first(1000)))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
}
