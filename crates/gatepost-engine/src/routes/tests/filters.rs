//! Events with filters.

use std::sync::Arc;

use gatepost_kv::MemoryStore;
use gatepost_storage::AtMost;
use gatepost_storage::webhooks::RecordStore as _;
use gatepost_testkit::fault::FaultStore;
use webhook_model::{EventId, Occurrence, TagId, Target, TaskId};

use super::super::{Matched, Tables};
use super::{COMMON, MIB, counted, ids};
use crate::testing::{Records, noon, poweron};

/// Creates tasks 1, 2, 3 … that events with these filters run.
async fn filtered(records: &Records, filters: &[&str]) -> Arc<FaultStore<MemoryStore>> {
    let webhook = records.webhook(|_| {}).await;
    for filter in filters {
        let task = records.task(webhook, "x", false).await;
        records.filtered(Target::Generic, task, filter).await;
    }
    counted(records)
}

fn with(data: &str) -> Occurrence {
    poweron(7, &[1]).with_data(data.parse().unwrap())
}

async fn matched(tables: &Tables, occurrence: &Occurrence) -> Vec<i64> {
    let found: Matched = tables.matched(&COMMON, occurrence).await.unwrap();
    ids(&found)
}

#[tokio::test]
async fn events_match_by_filters_on_occurrence_data() {
    let records = Records::new();
    let filters = [
        "{}",
        r#"{"severity":"high"}"#,
        r#"{"free":{"$lt":10}}"#,
        r#"{"free":{"$exists":false}}"#,
        r#"{"stored":["before"]}"#,
    ];
    let store = filtered(&records, &filters).await;
    // Cached, and read for each occurrence if a realm is too large for that.
    for tables in [Tables::new(store.clone(), MIB), Tables::new(store, 0)] {
        assert_eq!(matched(&tables, &poweron(7, &[])).await, [1, 4]);
        assert_eq!(
            matched(&tables, &with(r#"{"severity":"high"}"#)).await,
            [1, 2, 4]
        );
        assert_eq!(
            matched(&tables, &with(r#"{"severity":"low","free":7}"#)).await,
            [1, 3]
        );
    }
}

#[tokio::test]
async fn task_runs_once_if_any_event_matches() {
    let records = Records::new();
    let store = filtered(&records, &[r#"{"n":1}"#]).await;
    for filter in [r#"{"n":2}"#, r#"{"n":{"$gt":0}}"#] {
        records
            .filtered(Target::Tag(TagId(1)), TaskId(1), filter)
            .await;
    }
    let tables = Tables::new(store, MIB);
    for (data, expected) in [
        ("{\"n\":1}", &[1][..]),
        ("{\"n\":2}", &[1]),
        ("{\"n\":0}", &[]),
    ] {
        assert_eq!(matched(&tables, &with(data)).await, expected, "{data}");
    }
}

#[tokio::test]
async fn changed_filter_is_used_after_refresh() {
    let records = Records::new();
    let store = filtered(&records, &[r#"{"n":1}"#]).await;
    let tables = Tables::new(store, MIB);
    let one = with(r#"{"n":1}"#);
    let seen = tables.matched(&COMMON, &one).await.unwrap();
    assert_eq!(ids(&seen), [1]);
    let mut row = records.store.event(EventId(1)).await.unwrap().unwrap();
    row.value.filters = r#"{"n":2}"#.parse().unwrap();
    let edited = records.store.update_event(&row, AtMost::UNLIMITED, noon());
    edited.await.unwrap();
    assert!(!tables.are_current(&seen.seen).await.unwrap());
    tables.refresh(&seen.seen).await.unwrap();
    assert_eq!(matched(&tables, &one).await, [0; 0]);
}

/// A table of 48 KiB may have 16 rows of 192 bytes: 3 KiB. Two filters of 1 KiB exceed it.
#[tokio::test]
async fn filters_count_against_table_memory() {
    let records = Records::new();
    let long = format!(r#"{{"n":"{}"}}"#, "x".repeat(1_000));
    let store = filtered(&records, &["{}", &long, &long]).await;
    let tables = Tables::new(store.clone(), 48 * 1024);
    let reads = || store.calls_of("routes_of");
    for n in 1..3 {
        assert_eq!(matched(&tables, &poweron(7, &[])).await, [1]);
        assert_eq!(reads(), n, "too large to be held");
    }
}
