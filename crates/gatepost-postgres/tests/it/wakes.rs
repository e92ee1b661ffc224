//! Work that one node leaves to the others, and who is notified of it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use gatepost_postgres::PostgresStore;
use gatepost_storage::webhooks::{
    Arrived, NewDelivery, OutboxStore as _, QueueStore as _, RecordStore as _,
};
use gatepost_testkit::fixtures::{UNLIMITED, at, direct, message, webhook};
use tokio::time::timeout;

use crate::common::fresh;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn announced_outbox_row_wakes_another_node() {
    let (a, config) = fresh().await;
    let b = Arc::new(PostgresStore::connect(config).await.unwrap());
    // Rows that arrived before the process listened are unknown to it.
    while timeout(Duration::from_secs(1), b.outbox_arrived())
        .await
        .is_ok()
    {}
    let waiting = Arc::clone(&b);
    let bound = Duration::from_secs(10);
    let woken = tokio::spawn(async move { timeout(bound, waiting.outbox_arrived()).await });
    a.outbox_written();
    woken.await.unwrap().expect("the other node is notified");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_that_one_node_leaves_wakes_another() {
    let (a, config) = fresh().await;
    let b = Arc::new(PostgresStore::connect(config).await.unwrap());
    let webhook = a
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap()
        .id;
    let waiting = Arc::clone(&b);
    let woken =
        tokio::spawn(async move { timeout(Duration::from_secs(3), waiting.work_arrived()).await });
    a.enqueue(direct(vec![message(webhook, "m", at(0))]), at(0))
        .await
        .unwrap();
    woken.await.unwrap().expect("the other node is notified");

    // A delivery that is leased to the emitting node concerns no other.
    let _ = timeout(Duration::from_millis(200), b.work_arrived()).await;
    let leased = NewDelivery {
        lease_until: Some(at(60)),
        ..message(webhook, "own", at(0))
    };
    a.enqueue(direct(vec![leased]), at(0)).await.unwrap();
    assert!(
        timeout(Duration::from_millis(300), b.work_arrived())
            .await
            .is_err()
    );
}

/// A query for newly due deliveries does not find those with an old due time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_updated_webhooks_are_all_named_to_nodes() {
    let (a, config) = fresh().await;
    let b = PostgresStore::connect(config).await.unwrap();
    let mut rows = Vec::new();
    for n in 0..150 {
        let new = webhook(&format!("w{n}"));
        rows.push(a.insert_webhook(&new, UNLIMITED, at(0)).await.unwrap());
    }
    // The notification for the time before it listened comes first.
    while timeout(Duration::from_secs(1), b.work_arrived())
        .await
        .is_ok()
    {}
    let mut left: BTreeSet<_> = rows.iter().map(|row| row.id).collect();
    for row in &rows {
        a.update_webhook(row, UNLIMITED, at(1)).await.unwrap();
    }
    while !left.is_empty() {
        let arrived = timeout(Duration::from_secs(20), b.work_arrived()).await;
        if let Arrived::Queues(queues) = arrived.expect("all are named") {
            for queue in queues {
                left.remove(&queue.webhook);
            }
        }
    }
}
