//! A newer process migrates the file while this one has it open.

use std::error::Error as _;

use gatepost_sqlite::SqliteStore;
use gatepost_storage::keys::{KeyShard, KeyStore as _};
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, OwnerStore as _, Page, Scope, StoreError};
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, key, message, queue_claim, settlement, stored_webhook, webhook,
};
use rusqlite::Connection;
use webhook_model::WebhookId;

use crate::common::fresh;

const NEXT: &str = include_str!("../fixtures/next_version.sql");
const UNDONE: &str = include_str!("../fixtures/next_version_undone.sql");
/// The webhook whose state only the next version knows.
const RESTS: &str = "rests in the next version";

/// Checks the error with which a call was refused, and its text.
fn refusal<T: std::fmt::Debug>(what: &str, answer: Result<T, StoreError>) {
    let error = answer.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{what}: {error:?}");
    assert!(!error.is_transient(), "{what}");
    let text = format!("{error}: {}", error.source().unwrap());
    let migrations = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations"));
    let known = migrations.unwrap().count();
    let versions = format!("version {}, this process knows {known}", known + 1);
    let named = text.contains("newer version") && text.contains(&versions);
    assert!(named, "{what}: {text}");
}

fn run(file: &Connection, sql: &str) {
    file.execute_batch(&format!("BEGIN IMMEDIATE; {sql} COMMIT"))
        .unwrap();
}

async fn every_call_is_refused(store: &SqliteStore, hook: WebhookId, claimed: &Claimed) {
    let sent = vec![settlement(claimed, Disposition::Sent)];
    refusal("settle", store.settle(sent, at(1)).await);
    let queues = [queue_claim(hook, QueueClass::First)];
    refusal("claim", store.claim(&queues, at(60), at(1)).await);
    let more = direct(vec![message(hook, "more", at(0))]);
    refusal("enqueue", store.enqueue(more, at(1)).await);
    refusal("read", store.webhook(hook).await);
    let again = store.insert_webhook(&webhook("x"), UNLIMITED, at(1)).await;
    refusal("write", again);
    let leased = store.lease("clean", 1, at(60), at(1)).await;
    refusal("lease", leased);
    refusal("figures", store.queue_stats().await);
    let present = key(1, "k").lookup;
    refusal("authenticate", store.key_by_lookup(present).await);
    let shard = KeyShard::of(present);
    assert_eq!(store.key_generation(shard), None, "no key is remembered");
}

#[tokio::test]
async fn process_with_newer_file_writes_and_loses_nothing() {
    let (store, config, folder) = fresh().await;
    let row = store.insert_webhook(&webhook("w"), UNLIMITED, at(0)).await;
    let hook = row.unwrap().id;
    let rests = stored_webhook(&store, RESTS).await;
    let two = ["a", "b"].map(|id| message(hook, id, at(0)));
    store.enqueue(direct(two.to_vec()), at(0)).await.unwrap();
    let one = QueueClaim {
        limit: 1,
        ..queue_claim(hook, QueueClass::First)
    };
    let claimed = store.claim(&[one], at(60), at(0)).await.unwrap().remove(0);
    let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
    run(&file, NEXT);
    let version = |file: &Connection| -> i64 {
        let version = file.query_row("PRAGMA data_version", [], |row| row.get(0));
        version.unwrap()
    };
    let before = version(&file);
    for _ in 0..2 {
        every_call_is_refused(&store, hook, &claimed).await;
    }
    assert_eq!(version(&file), before, "nothing was committed");
    refusal("open", SqliteStore::open(config.clone()).await);

    // The control, which is also the case of a restored backup.
    run(&file, UNDONE);
    let sent = vec![settlement(&claimed, Disposition::Sent)];
    let settled = store.settle(sent, at(2)).await.unwrap();
    assert_eq!(settled, [Settled::Done]);
    store.close().await;
    let store = SqliteStore::open(config).await.unwrap();
    goes_on(&store).await;
    unknown_word_is_passed_over(&store, hook, rests).await;
}

async fn goes_on(store: &SqliteStore) {
    let all = DeliveryQuery::all(Page::first(10));
    let rows = store.list_deliveries(&all).await.unwrap();
    let mut rows: Vec<_> = rows
        .iter()
        .map(|d| (d.message_id.as_str(), d.state))
        .collect();
    rows.sort_unstable_by_key(|(id, _)| *id);
    let (sent, queued) = (DeliveryState::Sent, DeliveryState::Queued);
    assert_eq!(rows, [("a", sent), ("b", queued)]);
}

/// Checks that a state that only the next version knows makes one webhook unreadable, and no other.
async fn unknown_word_is_passed_over(store: &SqliteStore, hook: WebhookId, rests: WebhookId) {
    let refused = store.webhook(rests).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Corrupt);
    let all = WebhookQuery {
        scope: Scope::All,
        name: None,
        page: Page::first(9),
    };
    let listed = store.list_webhooks(&all).await.unwrap();
    let listed: Vec<_> = listed.iter().map(|row| row.id).collect();
    assert_eq!(listed, [hook]);
    let found = store.unreadable(Scope::All, 9).await.unwrap();
    let found: Vec<_> = found.iter().map(|one| one.record).collect();
    assert_eq!(found, [RecordId::Webhook(rests)]);
    let deleted = store.delete_webhook(rests, Cascade::Refuse, at(3)).await;
    deleted.unwrap();
    assert_eq!(store.unreadable(Scope::All, 9).await.unwrap(), []);
}
