//! Backups of a file that is in use.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, KeyStore as _, Page};
use gatepost_testkit::fields::full_webhook;
use gatepost_testkit::fixtures::{UNLIMITED, at, direct, key, message};
use webhook_model::WebhookId;

fn config(path: &Path) -> SqliteConfig {
    let sealing = SealingKeys::new(SealingKey::new(1, [7; 32]));
    SqliteConfig::file(path).with_sealing(sealing)
}

async fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(config(path)).await.unwrap()
}

async fn enqueue(store: &SqliteStore, hook: WebhookId, n: u32) {
    // In pairs: a copy holds both or none.
    let pair = ["a", "b"].map(|half| message(hook, &format!("{half}{n}"), at(0)));
    store.enqueue(direct(pair.into()), at(0)).await.unwrap();
}

async fn deliveries(store: &SqliteStore) -> Vec<Delivery> {
    let all = DeliveryQuery::all(Page::first(1_000_000));
    store.list_deliveries(&all).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backup_during_writes_is_a_consistent_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let at_path = |name: &str| folder.path().join(name);
    let store = open(&at_path("gatepost.db")).await;
    let hook = store
        .insert_webhook(&full_webhook(), UNLIMITED, at(0))
        .await
        .unwrap();
    let known = store.insert_key(&key(1, "k"), u64::MAX).await.unwrap();
    for n in 0..50 {
        enqueue(&store, hook.id, n).await;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let (writing, writer) = (stop.clone(), store.clone());
    let writes = tokio::spawn(async move {
        let mut n = 50;
        while !writing.load(Ordering::Relaxed) && n < 1_000_000 {
            enqueue(&writer, hook.id, n).await;
            n += 1;
        }
        n as usize
    });
    for n in 0..3 {
        store
            .back_up(at_path(&format!("copy-{n}.db")))
            .await
            .unwrap();
    }
    stop.store(true, Ordering::Relaxed);
    let written = writes.await.unwrap();

    let mut last = 100;
    for n in 0..3 {
        let copy = open(&at_path(&format!("copy-{n}.db"))).await;
        let rows = deliveries(&copy).await;
        assert!(
            rows.len() >= last && rows.len() <= written * 2,
            "{} rows",
            rows.len()
        );
        assert_eq!(rows.len() % 2, 0, "no commit is there by half");
        last = rows.len();
        // Secrets open under the same keys, and the copy can be written to like any other file.
        assert_eq!(
            copy.webhook(hook.id).await.unwrap().unwrap().value,
            full_webhook()
        );
        assert_eq!(copy.key(known.id).await.unwrap().unwrap(), known);
        enqueue(&copy, hook.id, 2_000_000).await;
        assert_eq!(deliveries(&copy).await.len(), last + 2);
    }
}

#[tokio::test]
async fn failed_backup_replaces_nothing_and_leaves_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let at_path = |name: &str| folder.path().join(name);
    let store = open(&at_path("gatepost.db")).await;
    std::fs::write(at_path("there"), "mine").unwrap();
    // The remains of a killed process do not matter.
    std::fs::write(at_path("new.db.part"), "half a copy").unwrap();
    store.back_up(at_path("new.db")).await.unwrap();
    let refused = store.back_up(at_path("there")).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(std::fs::read(at_path("there")).unwrap(), b"mine");
    let refused = store.back_up(at_path("there/below.db")).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
    let refused = store.back_up(at_path("gatepost.db")).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict, "nor itself");
    store.close().await;
    let refused = store.back_up(at_path("late.db")).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
    let mut names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["gatepost.db", "new.db", "there"]);
}

#[cfg(unix)]
#[tokio::test]
async fn backup_is_readable_only_by_its_owner() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("gatepost.db")).await;
    let copy = folder.path().join("copies").join("copy.db");
    store.back_up(&copy).await.unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&copy), mode(copy.parent().unwrap())), (0o600, 0o700));
}
