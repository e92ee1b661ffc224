//! Rows of the outbox as a platform writes them, with every column that it may leave out.

use std::sync::Arc;

use gatepost_ids::OwnerId;
use gatepost_sqlite::SqliteStore;
use gatepost_storage::webhooks::OutboxRow;
use gatepost_testkit::Webhooks;
use gatepost_testkit::fixtures::{outbox, trace};
use rusqlite::Connection;
use webhook_model::{Occurrence, WebhookId, WebhookIds};

use crate::common::fresh;

/// A time at which rows without their own due time are due.
const LATER: i64 = 2_000_000_000;

/// Returns the rows after this statement.
async fn rows(store: SqliteStore, folder: &tempfile::TempDir, insert: &str) -> Vec<OutboxRow> {
    let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
    file.execute_batch(insert).unwrap();
    outbox(&Webhooks::of(Arc::new(store)), LATER).await
}

fn occurrences(rows: &[OutboxRow]) -> Vec<&Occurrence> {
    let all = rows.iter().map(|row| row.occurrence.as_ref().unwrap());
    all.collect()
}

#[tokio::test]
async fn outbox_row_brings_what_its_columns_say() {
    let (store, _, folder) = fresh().await;
    let insert =
        "INSERT INTO gatepost_occurrence (event_type, event, data, webhooks, channel, run_by)
        VALUES ('vms', 'poweron', NULL, NULL, NULL, NULL),
            ('vms', 'poweron', '{\"a\": 1}', '[7, 3]', 'billing', 7)";
    let rows = rows(store, &folder, insert).await;
    let by: Vec<_> = rows.iter().map(|row| row.by).collect();
    assert_eq!(by, [None, Some(OwnerId(7))]);
    let all = occurrences(&rows);
    assert_eq!(
        (&all[0].data, &all[0].to, &all[0].channel),
        (&None, &None, &None)
    );
    assert_eq!(all[1].data, Some("{\"a\":1}".parse().unwrap()));
    let to = WebhookIds::new([WebhookId(3), WebhookId(7)]).unwrap();
    assert_eq!(all[1].to, Some(to));
    assert_eq!(all[1].channel, Some("billing".parse().unwrap()));
}

#[tokio::test]
async fn outbox_trace_that_is_none_is_left_out() {
    let (store, _, folder) = fresh().await;
    let insert = format!(
        "INSERT INTO gatepost_occurrence (event_type, event, trace)
        VALUES ('vms', 'poweron', '{}'), ('vms', 'poweron', CAST(x'ff' AS TEXT)), ('vms', 'poweron', 'x')",
        trace()
    );
    let rows = rows(store, &folder, &insert).await;
    let traces: Vec<_> = occurrences(&rows)
        .iter()
        .map(|one| one.trace.clone())
        .collect();
    assert_eq!(traces, [Some(trace()), None, None]);
}
