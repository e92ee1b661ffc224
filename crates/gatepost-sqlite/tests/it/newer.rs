//! A newer process brings the file forward while this one has it open.

use std::error::Error as _;

use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::keys::{KeySlice, KeyStore as _};
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, OwnerStore as _, Page, StoreError};
use gatepost_testkit::fixtures::{UNLIMITED, at, direct, key, lane, message, settlement, webhook};
use rusqlite::Connection;
use webhook_model::WebhookId;

use crate::common::fresh;

/// As a later version might: columns that say what a key is good for, and one more version.
const FORWARD: &str = "BEGIN IMMEDIATE;
    ALTER TABLE gatepost_key ADD COLUMN good_on INTEGER NOT NULL DEFAULT 7;
    ALTER TABLE gatepost_webhook ADD COLUMN region TEXT NOT NULL DEFAULT 'here';
    INSERT INTO gatepost_schema VALUES (1000); COMMIT";
const BACK: &str = "BEGIN IMMEDIATE; DELETE FROM gatepost_schema WHERE version = 1000;
    ALTER TABLE gatepost_key DROP COLUMN good_on;
    ALTER TABLE gatepost_webhook DROP COLUMN region; COMMIT";

/// What a call was refused with, in words.
fn refusal<T: std::fmt::Debug>(what: &str, answer: Result<T, StoreError>) {
    let error = answer.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{what}: {error:?}");
    assert!(!error.is_transient(), "{what}");
    let text = format!("{error}: {}", error.source().unwrap());
    let newest = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations"));
    let own = newest.unwrap().count().to_string();
    let named = text.contains("newer version") && text.contains("1000") && text.contains(&own);
    assert!(named, "{what}: {text}");
}

async fn every_call_is_refused(store: &SqliteStore, hook: WebhookId, claimed: &Claimed) {
    let sent = vec![settlement(claimed, Disposition::Sent)];
    refusal("settle", store.settle(sent, at(1)).await);
    let lanes = [lane(hook, LaneClass::First)];
    refusal("claim", store.claim(&lanes, at(60), at(1)).await);
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
    let slice = KeySlice::of(present);
    assert_eq!(store.key_generation(slice), None, "no key is remembered");
}

#[tokio::test]
async fn a_process_beside_a_newer_file_touches_nothing_and_loses_nothing() {
    let (store, config, folder) = fresh().await;
    let row = store.insert_webhook(&webhook("w"), UNLIMITED, at(0)).await;
    let hook = row.unwrap().id;
    let two = ["a", "b"].map(|id| message(hook, id, at(0)));
    store.enqueue(direct(two.to_vec()), at(0)).await.unwrap();
    let one = LaneClaim {
        limit: 1,
        ..lane(hook, LaneClass::First)
    };
    let claimed = store.claim(&[one], at(60), at(0)).await.unwrap().remove(0);
    let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
    file.execute_batch(FORWARD).unwrap();
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

    // The control, and what a backup that is put back does.
    file.execute_batch(BACK).unwrap();
    let sent = vec![settlement(&claimed, Disposition::Sent)];
    let settled = store.settle(sent, at(2)).await.unwrap();
    assert_eq!(settled, [Settled::Done]);
    goes_on(&store, config).await;
}

async fn goes_on(store: &SqliteStore, config: SqliteConfig) {
    store.close().await;
    let store = SqliteStore::open(config).await.unwrap();
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
