//! The user who stores, matches and deletes data bears their cost.

use std::sync::Arc;

use gatepost_engine::{Quota, Scope};
use gatepost_storage::Page;
use gatepost_storage::webhooks::{
    Cascade, DeliveryLog as _, DeliveryQuery, NewDelivery, QueueStore as _, RejectReason,
};
use gatepost_testkit::fixtures::direct;
use webhook_model::{ObjectId, Target, WebhookId};

use super::{A, B, COLLEAGUE, Platform, switched_on};

const MIB: usize = 1024 * 1024;

#[tokio::test]
async fn large_messages_beyond_share_drop_only_own_deliveries() {
    let platform = Platform::start().await;
    platform.watching(A, "a", 110).await;
    let webhook = platform.webhook(COLLEAGUE, "large").await;
    platform.engine.pause_webhook(webhook).await.unwrap();
    let large = "x".repeat(MIB - 100);
    for _ in 0..20 {
        let task = platform.task(webhook, &large, false).await;
        platform
            .event("vms", Target::Instance(ObjectId::from(110)), task)
            .await
            .unwrap();
    }
    platform.engine.emit(switched_on(110)).await.unwrap();
    platform.engine.emit_later(&switched_on(110)).await.unwrap();
    platform.receiver.wait_for("/a", 2).await.unwrap();

    let stored = until(async || {
        let query = DeliveryQuery {
            scope: Scope::Owner(COLLEAGUE),
            ..DeliveryQuery::all(Page::first(100))
        };
        let stored = platform.engine.list_deliveries(&query).await.unwrap().len();
        let rejected = platform
            .engine
            .rejected_counts(Scope::Owner(COLLEAGUE), None, 10)
            .await
            .unwrap();
        let counted: u64 = rejected.iter().map(|row| row.count).sum();
        assert!(
            rejected
                .iter()
                .all(|row| row.reason == RejectReason::Occurrence)
        );
        (stored as u64 + counted == 40).then_some(stored)
    })
    .await;
    assert_eq!(stored, 16, "8 MiB of each occurrence");
    let now = gatepost_storage::Clock::now(&gatepost_storage::SystemClock);
    let stats = platform.store.count_queue(now).await.unwrap();
    assert_eq!(
        stats.outbox, 0,
        "the row of the outbox was used, not thrown away"
    );
}

#[tokio::test]
async fn webhook_deletion_defers_cleanup_of_waiting_deliveries() {
    let platform = Platform::with(|engine| engine.quotas(Arc::new(Quota::UNLIMITED))).await;
    platform.watching(A, "a", 110).await;
    let webhook = platform.webhook(B, "b").await;
    platform.engine.pause_webhook(webhook).await.unwrap();
    for part in 0..5 {
        wait_for(&platform, webhook, part, 1_000).await;
    }
    let before = platform.counted.calls();
    platform
        .engine
        .delete_webhook(webhook, Cascade::Refuse)
        .await
        .unwrap();
    let query = DeliveryQuery {
        webhook: Some(webhook),
        ..DeliveryQuery::all(Page::first(1))
    };
    let left = platform.store.list_deliveries(&query).await.unwrap();
    assert!(
        left.is_empty(),
        "nothing of it is listed from the commit on"
    );
    // The name is free immediately, and others continue.
    platform.webhook(B, "b").await;
    let emitted = platform.engine.emit(switched_on(110)).await.unwrap();
    assert_eq!(emitted.deliveries.len(), 1);
    assert!(
        platform.counted.calls() - before < 50,
        "one short commit, not one a thousand rows"
    );
    let rows = || {
        let file = platform.folder.path().join("gatepost.db");
        let sql = "SELECT count(*) FROM gatepost_delivery";
        let count = rusqlite::Connection::open(file).unwrap();
        count
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    until(async || (rows() <= 1).then_some(())).await;
}

/// Stores deliveries that wait for a webhook, in one call.
async fn wait_for(platform: &Platform, webhook: WebhookId, part: usize, count: usize) {
    let now = gatepost_storage::Clock::now(&gatepost_storage::SystemClock);
    let deliveries = (0..count).map(|n| NewDelivery {
        message_id: format!("m{part}_{n}").parse().unwrap(),
        webhook,
        task: None,
        cause: None,
        body: "x".into(),
        due: now,
        lease_until: None,
    });
    let batch = direct(deliveries.collect());
    platform.store.enqueue(batch, now).await.unwrap();
}

/// Asks until there is an answer, for at most two minutes.
async fn until<T>(ask: impl AsyncFn() -> Option<T>) -> T {
    for _ in 0..12_000 {
        if let Some(answer) = ask().await {
            return answer;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("not within two minutes")
}
