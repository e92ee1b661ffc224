//! SQLite: copies that were taken while an engine worked.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use gatepost_storage::restored::end_deliveries;
use gatepost_storage::webhooks::{
    Delivery, DeliveryLog as _, DeliveryQuery, DeliveryState, QueueStore as _, RecordStore as _,
    WebhookQuery,
};
use gatepost_storage::{AtMost, Clock as _, OwnerStore as _, Page, Scope, SystemClock};
use gatepost_testkit::fixtures::{direct, message};
use tests::chaos::Counting;

use super::*;

const ALL: usize = 400;

async fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(SqliteConfig::file(path)).await.unwrap()
}

async fn listed(store: &SqliteStore) -> Vec<Delivery> {
    let query = DeliveryQuery::all(Page::first(10_000));
    store.list_deliveries(&query).await.unwrap()
}

fn check(path: &Path) -> String {
    let file = rusqlite::Connection::open(path).unwrap();
    let sql = "PRAGMA integrity_check";
    file.query_row(sql, [], |row| row.get(0)).unwrap()
}

async fn send_all(store: &SqliteStore) {
    let engine = engine(Arc::new(store.clone())).await;
    let open = |d: &Delivery| !d.state.is_final();
    while listed(store).await.iter().any(open) {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    engine.shutdown(Duration::from_secs(60)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copy_of_running_engine_loses_no_delivery() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = Counting::start().await;
    let store = open(&folder.path().join("gatepost.db")).await;
    let (now, limit) = (SystemClock.now(), AtMost::UNLIMITED);
    let hook = webhook("w", &format!("http://{}/", receiver.addr));
    let hook = store.insert_webhook(&hook, limit, now).await.unwrap().id;
    let batch = (0..ALL).map(|n| message(hook, &format!("msg_{n}"), now));
    store.enqueue(direct(batch.collect()), now).await.unwrap();
    let engine = engine(Arc::new(store.clone())).await;
    let copies: Vec<_> = (0..3)
        .map(|n| folder.path().join(format!("copy-{n}.db")))
        .collect();
    for copy in &copies {
        let known = receiver.seen().len();
        while receiver.seen().len() < (known + 20).min(ALL) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        store.back_up(copy).await.unwrap();
    }
    engine.shutdown(Duration::from_secs(60)).await;
    store.close().await;

    for copy in copies {
        assert_eq!(check(&copy), "ok");
        let seen: HashSet<_> = receiver.seen().into_iter().map(|seen| seen.id).collect();
        let store = open(&copy).await;
        let found = listed(&store).await;
        assert_eq!(found.len(), ALL, "each is there");
        for delivery in found {
            let is_sent = delivery.state == DeliveryState::Sent;
            let id = delivery.message_id.as_str();
            assert!(!is_sent || seen.contains(id), "{id} was not sent");
        }
        // Takes back the deliveries that were being sent, and ends none.
        store.restored(SystemClock.now()).await.unwrap();
        let kept = end_deliveries(&store, |_| false, SystemClock.now()).await;
        assert_eq!(kept.unwrap().ended, 0);
        send_all(&store).await;
        let sent = |d: &Delivery| d.state == DeliveryState::Sent;
        assert!(listed(&store).await.iter().all(sent), "it goes on");
        store.close().await;
        assert_eq!(check(&copy), "ok");
    }
}

/// The newest commits are in the write-ahead log, a separate file.
#[tokio::test]
async fn copy_without_write_ahead_log_lacks_recent_commits() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let store = open(&path("gatepost.db")).await;
    let (now, limit) = (SystemClock.now(), AtMost::UNLIMITED);
    let hook = webhook("w", "https://example.com/");
    store.insert_webhook(&hook, limit, now).await.unwrap();
    let log = std::fs::metadata(path("gatepost.db-wal")).unwrap();
    assert!(log.len() > 0, "the commit is in the log");
    for (from, to) in [
        ("gatepost.db", "alone.db"),
        ("gatepost.db", "both.db"),
        ("gatepost.db-wal", "both.db-wal"),
    ] {
        std::fs::copy(path(from), path(to)).unwrap();
    }
    store.close().await;
    assert!(
        !path("gatepost.db-wal").exists(),
        "nothing is left beside it"
    );
    std::fs::copy(path("gatepost.db"), path("closed.db")).unwrap();
    for (name, has) in [("alone.db", 0), ("both.db", 1), ("closed.db", 1)] {
        let copy = open(&path(name)).await;
        let query = WebhookQuery {
            scope: Scope::All,
            name: None,
            page: Page::first(9),
        };
        let found = copy.list_webhooks(&query).await.unwrap();
        assert_eq!(found.len(), has, "{name}");
        copy.close().await;
    }
}
