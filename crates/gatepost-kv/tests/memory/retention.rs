//! Retention ends by age, share and bytes, and counters outlive their deliveries.

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{
    DeliveryLog, DeliveryQuery, HourlyCount, PurgeBounds, RecordStore,
};
use gatepost_storage::{Page, Scope};
use webhook_model::WebhookId;

use crate::common::{at, enqueue, message, sent, webhook};

const KEEP_ALL: PurgeBounds = PurgeBounds {
    created_before: DateTime::UNIX_EPOCH,
    bytes: None,
    counts_before: DateTime::UNIX_EPOCH,
    occurrences_before: DateTime::UNIX_EPOCH,
};

/// Purges with a limit of two; returns the creation times of the remaining deliveries.
async fn left_after(store: &MemoryStore, bounds: PurgeBounds) -> Vec<DateTime<Utc>> {
    while store.purge(&bounds, 2, at(100)).await.unwrap().more {}
    let all = DeliveryQuery::all(Page::first(99));
    let rows = store.list_deliveries(&all).await.unwrap();
    rows.iter().map(|row| row.created).collect()
}

#[tokio::test]
async fn oldest_ended_deliveries_leave_until_log_fits() {
    let store = MemoryStore::new();
    let webhook = webhook(&store, "w", |_| {}).await;
    enqueue(&store, vec![message(webhook, 90)], 0).await;
    for now in 1..=5 {
        sent(&store, webhook, now).await;
    }
    let room = store.prepare_log(at(6)).await.unwrap();
    assert_eq!((room.ahead, room.bytes), (None, 60));
    let bytes = Some(35);
    let left = left_after(&store, PurgeBounds { bytes, ..KEEP_ALL }).await;
    assert_eq!(left, [0, 4, 5].map(at), "what waits stays");
    let bytes = Some(0);
    let left = left_after(&store, PurgeBounds { bytes, ..KEEP_ALL }).await;
    assert_eq!(left, [at(0)], "it ends though the log is still too big");
}

#[tokio::test]
async fn owner_over_share_loses_their_oldest() {
    let store = MemoryStore::new();
    let webhook = webhook(&store, "w", |_| {}).await;
    enqueue(&store, vec![message(webhook, 90)], 0).await;
    for now in 1..=4 {
        sent(&store, webhook, now).await;
    }
    let all = store.recount_usage(OwnerId(1), u64::MAX).await.unwrap();
    assert_eq!(left_after(&store, KEEP_ALL).await.len(), 5);
    let ended = all.log_bytes - all.waiting_bytes;
    let left = store.recount_usage(OwnerId(1), ended / 2).await.unwrap();
    assert_eq!(left.log_bytes, all.waiting_bytes + ended / 2);
    assert_eq!(left_after(&store, KEEP_ALL).await, [0, 3, 4].map(at));
}

fn count(webhook: WebhookId, hour: i64, sent: u64) -> HourlyCount {
    HourlyCount {
        webhook,
        hour: at(hour * 3600),
        sent,
        last_sent: None,
        failed: 1,
        retried: 2,
        milliseconds: 30,
        bytes: 400,
    }
}

#[tokio::test]
async fn hourly_counters_add_up_and_outlive_deliveries() {
    let store = MemoryStore::new();
    let (a, b) = (
        webhook(&store, "a", |_| {}).await,
        webhook(&store, "b", |_| {}).await,
    );
    let nowhere = WebhookId(99);
    for _ in 0..2 {
        let counts = [
            count(a, 1, 5),
            count(b, 2, 7),
            count(a, 2, 1),
            count(nowhere, 2, 1),
        ];
        store.add_counts(&counts).await.unwrap();
    }
    let listed = async |webhook, from: i64, before: i64| {
        let (from, before) = (at(from * 3600), at(before * 3600));
        let found = store.hourly_counts(Scope::All, webhook, from, before, 9);
        let found = found.await.unwrap().into_iter();
        found
            .map(|c| (c.webhook, c.sent, c.bytes))
            .collect::<Vec<_>>()
    };
    let all = [(a, 2, 800), (b, 14, 800), (a, 10, 800)];
    assert_eq!(listed(None, 0, 9).await, all);
    assert_eq!(listed(Some(a), 2, 3).await, all[..1]);
    assert_eq!(listed(None, 9, 0).await, []);
    let bounds = PurgeBounds {
        created_before: at(99_999),
        counts_before: at(7200),
        ..KEEP_ALL
    };
    left_after(&store, bounds).await;
    assert_eq!(listed(None, 0, 9).await, all[..2]);
    let cascade = gatepost_storage::webhooks::Cascade::Refuse;
    store.delete_webhook(a, cascade, at(0)).await.unwrap();
    assert_eq!(listed(None, 0, 9).await, all[1..2]);
}
